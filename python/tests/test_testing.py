"""Tests of systems."""

from __future__ import annotations

import copy
import pathlib
import pickle
import subprocess
import sys
import threading
import time
import traceback

import pytest
from conftest import Counter

import mayhap
from mayhap import _json


class Capped(Counter):
    """Adds nothing beyond 3."""

    def ask(self, client, request):
        return self.n if isinstance(request, dict) and request["Add"] > 3 else super().ask(client, request)


def failing(counter, make, **settings) -> mayhap.ViolationError:
    with pytest.raises(mayhap.ViolationError) as caught:
        mayhap.test(counter, make, **settings)
    return caught.value


@pytest.mark.parametrize("clients", [1, 3])
def test_a_right_system_passes(counter, clients) -> None:
    report = mayhap.test(counter, Counter, clients=clients, requests=500)
    assert (report.verdict, report.requests, report.failures) == ("pass", 500, [])
    assert "500 requests in" in str(report)


@pytest.mark.parametrize("clients", [1, 3])
def test_a_wrong_system_is_caught_with_a_short_script(counter, clients) -> None:
    error = failing(counter, Capped, clients=clients)
    assert isinstance(error, AssertionError) and error.report.verdict == "violation"
    assert "to 1 request in" in str(error)
    assert "1  c1 → Add 4   c1 ← 0   ✗ only 4 was possible" in str(error)


def test_requests_that_keep_a_rare_duty_are_found() -> None:
    spec = mayhap.Spec.from_text(
        "protocol p { request int; response int; on q { expects q > 1000 && q % 2 == 0 && q % 1024 != 0; reply q / 2; } }"
    )
    asked = []

    class Halving:
        def ask(self, client, request):
            asked.append(request)
            return request // 2

    assert mayhap.test(spec, Halving, requests=100).verdict == "pass"
    assert all(request > 1000 and request % 2 == 0 for request in asked) and len(set(asked)) > 10


def test_looking_for_first_requests_takes_only_a_part_of_the_time(counter) -> None:
    with pytest.raises(mayhap.InconclusiveError) as caught:
        mayhap.test(counter, Counter, time=0)
    assert "corpus of" not in str(caught.value)


@pytest.mark.parametrize("clients", [1, 3])
def test_an_exception_is_the_cause_and_its_request_is_shown(counter, clients) -> None:
    class Raising(Counter):
        def ask(self, client, request):
            if isinstance(request, dict) and request["Add"] > 3:
                raise KeyError("too much")
            return super().ask(client, request)

    error = failing(counter, Raising, clients=clients)
    assert error.report.verdict == "broken"
    assert "1  c1 → Add 4   ✗\n  the system raised KeyError: 'too much'" in str(error)
    assert isinstance(error.__cause__, KeyError)
    assert 'raise KeyError("too much")' in "".join(traceback.format_exception(type(error), error, error.__traceback__))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "does ask return its answer?"),
        (2.0, "2.0 is a float"),
        ("x", "expected int"),
        (object(), "object has no form as JSON"),
        (float("nan"), "nan is no value"),
    ],
)
def test_an_answer_of_another_type_is_named_with_its_request(counter, answer, said) -> None:
    class Wrong:
        def ask(self, client, request):
            return answer

    error = failing(counter, Wrong)
    assert said in str(error) and "c1 → Add 0   ✗" in str(error)


def test_a_coroutine_is_no_answer(counter) -> None:
    class Late:
        async def ask(self, client, request):
            return 0

    with pytest.warns(RuntimeWarning, match="never awaited"):
        assert "a coroutine that nobody awaited" in str(failing(counter, Late))


def test_a_system_that_cannot_be_made_is_said(counter) -> None:
    def make():
        raise OSError("no port")

    error = failing(counter, make)
    assert "the system cannot be made: OSError: no port" in str(error) and isinstance(error.__cause__, OSError)
    assert "object has no method ask(client, request)" in str(failing(counter, object))


def test_nothing_tested_is_an_error(counter) -> None:
    class Silent:
        def ask(self, client, request):
            return mayhap.LOST

    with pytest.raises(mayhap.InconclusiveError, match="nothing was tested"):
        mayhap.test(counter, Silent, requests=100)
    with pytest.raises(AssertionError):
        mayhap.test(counter, Counter, requests=0)


def test_answers_that_are_none_may_take_effect_or_not(counter) -> None:
    class Lossy(Counter):
        def ask(self, client, request):
            if request == {"Add": 3}:
                return mayhap.REFUSED
            answer = super().ask(client, request)
            return mayhap.LOST if self.n % 5 == 0 else answer

    assert mayhap.test(counter, Lossy, requests=300).verdict == "pass"

    class Liar(Counter):
        def ask(self, client, request):
            answer = super().ask(client, request)
            return mayhap.REFUSED if request == {"Add": 3} else answer

    assert failing(counter, Liar).report.verdict == "violation"

    class Closing(Counter):
        def ask(self, client, request):
            return mayhap.CLOSED

    assert "ends the connection" in str(failing(counter, Closing))


def test_a_single_client_asks_on_the_calling_thread(counter) -> None:
    seen: dict[int, set[object]] = {1: set(), 3: set()}
    made: set[object] = set()

    def make(clients):
        made.add(threading.current_thread())

        class Noting(Counter):
            def ask(self, client, request):
                seen[clients].add(threading.current_thread())
                return super().ask(client, request)

        return Noting()

    for clients in seen:
        mayhap.test(counter, lambda clients=clients: make(clients), clients=clients, requests=200)
    assert seen[1] == made == {threading.current_thread()}
    assert made.isdisjoint(seen[3])


def test_a_hanging_client_of_several_is_reported(counter) -> None:
    class Hanging(Counter):
        def ask(self, client, request):
            if isinstance(request, dict) and request["Add"] > 3:
                time.sleep(60)
            return super().ask(client, request)

    error = failing(counter, Hanging, clients=2, deadline=0.05)
    assert "got no answer within 0.05 s" in str(error)


def test_exceptions_that_end_the_program_do(counter) -> None:
    for clients in (1, 3):
        class Ending(Counter):
            def ask(self, client, request):
                raise SystemExit(3)

        with pytest.raises(SystemExit):
            mayhap.test(counter, Ending, clients=clients)


def test_a_seed_repeats_a_test_and_settings_are_checked(counter) -> None:
    one, same, other = (str(failing(counter, Capped, seed=seed)) for seed in (5, 5, 6))
    assert one == same != other
    for settings in ({"clients": 0}, {"steps": 0}, {"time": -1}, {"deadline": float("nan")}):
        with pytest.raises(mayhap.UsageError):
            mayhap.test(counter, Counter, **settings)


CLOSING = """enum Q { Hit, Peek }
protocol closing {
    request Q; response int;
    var total: int = 0;
    on Hit from c { total := total + 1; if total % 3 == 0 { close c; return; } reply total; }
    on Peek { reply total; }
}"""


class Closing:
    def __init__(self) -> None:
        self.total = 0
        self.lock = threading.Lock()

    def ask(self, client: int, request: str) -> object:
        with self.lock:
            self.total += request == "Hit"
            return mayhap.CLOSED if request == "Hit" and self.total % 3 == 0 else self.total


@pytest.mark.parametrize(("seed", "clients"), [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3)])
def test_what_was_sent_on_a_connection_that_has_ended_is_not_asked(seed: int, clients: int) -> None:
    mayhap.test(mayhap.Spec.from_text(CLOSING), Closing, seed=seed, clients=clients, requests=400)


def test_a_program_with_several_clients_ends_well(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "ends.py"
    program.write_text(f"""
import mayhap, threading
CLOSING = {CLOSING!r}
class Closing:
    def __init__(self):
        self.total = 0
        self.lock = threading.Lock()
    def ask(self, client, request):
        with self.lock:
            self.total += request == "Hit"
            return mayhap.CLOSED if request == "Hit" and self.total % 3 == 0 else self.total
mayhap.test(mayhap.Spec.from_text(CLOSING), Closing, clients=3, requests=60)
""")
    running = [subprocess.Popen([sys.executable, program], stderr=subprocess.PIPE) for _ in range(6)]
    assert [(one.communicate()[1], one.returncode) for one in running] == [(b"", 0)] * 6


def test_a_violation_goes_to_another_process(counter) -> None:
    error = failing(counter, Capped)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.report.scripts) == (str(error), error.report.scripts)


@pytest.mark.parametrize("setting", [{"seed": -1}, {"seed": 2**64}, {"clients": -1}, {"requests": 1.5}, {"max_failures": -1}, {"seed": None}])
def test_numbers_out_of_range_are_usage_errors(counter, setting) -> None:
    with pytest.raises(mayhap.UsageError, match="expected a whole number from"):
        mayhap.test(counter, Counter, **setting)
    with pytest.raises(mayhap.UsageError, match="no specification"):
        mayhap.test("counter.may", Counter)


def test_the_script_of_a_failure_can_be_pasted(counter) -> None:
    error = failing(counter, Capped)
    call = str(error).partition("again:  ")[2]
    assert "'''" in call
    assert '{"Add": 4}' in call
    names = {"mayhap": mayhap, "spec": counter}
    with pytest.raises(mayhap.ReplayError, match="fails"):
        eval(call, {**names, "make": Capped})
    assert eval(call, {**names, "make": Counter}) is None

    class Broken:
        def ask(self, client: int, request: object) -> object:
            raise KeyError("lost")

    with pytest.raises(mayhap.ReplayError):
        eval(call, {**names, "make": Broken})
    with pytest.raises(mayhap.ReplayError, match="script:1"):
        mayhap.replay(counter, Counter, "no script")
    with pytest.raises(mayhap.UsageError):
        mayhap.replay(counter, Counter, error.report.scripts[0], clients=0)


def test_scripts_of_failures_are_kept(counter, tmp_path: pathlib.Path) -> None:
    assert f"kept:   {tmp_path / 'kept'}" in str(failing(counter, Capped, regressions=tmp_path / "kept"))
    (script,) = (tmp_path / "kept").iterdir()
    assert '{"Add": 4}' in script.read_text()
    # A script is a recording.
    assert counter.validate(script).kind == "reject"
    # It runs first, when the mistake is still there, and when it was mended.
    again = failing(counter, Capped, regressions=tmp_path / "kept", requests=20).report
    assert "regressions: 1 fail" in str(again)
    # It is as good as when it was found.
    assert "only 4 was possible" in str(again)
    assert again.scripts
    (tmp_path / "garbage").mkdir()
    (tmp_path / "garbage" / "old.ndjson").write_text(script.read_text().replace('"Add"', '"Gone"'))
    assert "cannot be run" in str(failing(counter, Counter, regressions=tmp_path / "garbage", requests=20))
    assert "regressions: 1 pass" in str(mayhap.test(counter, Counter, regressions=tmp_path / "kept", requests=20))


def test_a_specification_with_peers_is_for_the_command() -> None:
    spec = mayhap.Spec.from_text("""protocol p { request int; response int; peer other: int -> int;
        on q { let a = call other, q; reply 0; } }""")
    with pytest.raises(mayhap.UsageError, match="peers"):
        mayhap.test(spec, Counter)


ECHO = """
enum Request { Keep { key: json, value: int } }
protocol echo {
    request Request;
    response (json, int);
    generate {
        Keep.key: ["0.1234567890123456789", "1e400", "-1e400", "1e500", "0.10000000000000001", "0.1", "1e21", "[1.5e-999]", "12345678901234567890"];
        Keep.value: [1, LARGE];
    }
    on Keep { key, value } { reply (key, value); }
}
"""


@pytest.mark.parametrize("clients", [1, 2])
def test_numbers_of_any_size_come_as_they_are_and_go_as_they_came(clients) -> None:
    large = 10**5000 + 7
    spec = mayhap.Spec.from_text("const LARGE: int = 0;" + ECHO, LARGE=large)
    seen = set()

    class Echo:
        def ask(self, client, request):
            kept = request["Keep"]
            again = copy.deepcopy(kept)
            assert again == kept and pickle.loads(pickle.dumps(kept)) == kept
            seen.add((type(kept["key"]).__mro__[-2], repr(kept["key"])))
            seen.add(kept["value"])
            return (again["key"], again["value"])

    assert mayhap.test(spec, Echo, requests=300, clients=clients).verdict == "pass"
    assert {1, large, (float, "0.1"), (float, "1e400"), (float, "0.1234567890123456789"), (float, "0.10000000000000001")} <= seen
    # As keys they differ where the numbers do.
    assert len({_json.read(number) for number in ("1e400", "1e500", "0.1", "0.10000000000000001", "0.1000")}) == 4


def test_a_float_that_was_rounded_is_another_number() -> None:
    spec = mayhap.Spec.from_text("const LARGE: int = 0;" + ECHO)

    class Rounding:
        def ask(self, client, request):
            key = request["Keep"]["key"]
            return (float(repr(key)) if key == _json.read("0.10000000000000001") else key, request["Keep"]["value"])

    assert "0.10000000000000001" in str(failing(spec, Rounding))


def test_a_setting_with_too_many_digits_is_a_usage_error(counter) -> None:
    with pytest.raises(mayhap.UsageError, match="requests=1000000.*expected a whole number from"):
        mayhap.test(counter, Counter, requests=10**5000)
