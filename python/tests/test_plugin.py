"""The plugin of pytest, and the strategy for Hypothesis."""

from __future__ import annotations

import pytest
from conftest import COUNTER, SPECS
from hypothesis import given, settings
from hypothesis import strategies as st

import mayhap

TESTS = f'''
import mayhap
spec = mayhap.Spec.from_text("""{COUNTER}""")

class Counter:
    limit = 10**9
    def __init__(self):
        self.n = 0
    def ask(self, client, request):
        if request != "Get" and request["Add"] < self.limit:
            self.n += request["Add"]
        return self.n

class Capped(Counter):
    limit = 4

def test_right(mayhap_test):
    report = mayhap_test(spec, Counter, requests=50, seed=1)
    print("tested", report.requests, "seed", report.seed)

def test_wrong(mayhap_test):
    mayhap_test(spec, Capped)
'''


def test_the_fixture_takes_settings_from_the_command_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-s", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*tested 50 seed 1*", "*ViolationError*", "*Add 4*only 4 was possible*", "*again:  pytest --mayhap-seed 0 *.py::test_wrong*"])
    # The code of the package is not shown.
    result.stdout.no_fnmatch_line("*_mayhap.test(*")
    assert len(list((pytester.path / "mayhap-regressions").iterdir())) == 1
    result = pytester.runpytest_subprocess("-s", "--mayhap-seed=7", "--mayhap-requests=60", "-k", "right")
    result.stdout.fnmatch_lines(["*tested 60 seed 7*"])


def test_scripts_go_where_they_are_wanted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess("--mayhap-regressions=kept/here")
    assert len(list((pytester.path / "kept" / "here").iterdir())) == 1
    pytester.runpytest_subprocess("--mayhap-regressions=")
    assert not (pytester.path / "mayhap-regressions").exists()


def test_processes_of_xdist_keep_all_failures(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS.replace("def test_wrong(", "import pytest\n@pytest.mark.parametrize('nr', range(6))\ndef test_wrong(nr, "))
    result = pytester.runpytest_subprocess("-n", "3", "-p", "no:cacheprovider", "--mayhap-seed", "5")
    result.assert_outcomes(passed=1, failed=6)
    result.stdout.fnmatch_lines(["*again:  pytest --mayhap-seed 5 *"])
    kept = list((pytester.path / "mayhap-regressions").iterdir())
    assert kept and all(path.suffix == ".ndjson" and path.read_text().endswith("\n") for path in kept)
    # The next tests run them first.
    result = pytester.runpytest_subprocess("-k", "wrong and 3")
    result.stdout.fnmatch_lines(["*mayhap-regressions/*"])


def least(spec: mayhap.Spec, is_wanted) -> object:
    """The request to which Hypothesis shrinks all wanted ones."""
    found: list[object] = []

    @settings(max_examples=500, database=None, derandomize=True)
    @given(mayhap.requests(spec))
    def none_is(request) -> None:
        if is_wanted(request):
            found.append(request)
            raise LookupError

    with pytest.raises(LookupError):
        none_is()
    return found[-1]


def test_requests_are_drawn_and_shrink(counter) -> None:
    assert least(counter, lambda request: True) in ("Get", {"Add": 0})
    assert least(counter, lambda request: request != "Get" and request["Add"] > 3) == {"Add": 4}
    etag = mayhap.Spec.load(SPECS / "kv_etag.may")
    put = least(etag, lambda request: "Put" in request and request["Put"]["if_match"])
    assert set(put) == {"Put"} and len(str(put)) < 120


@settings(max_examples=50, database=None)
@given(st.data())
def test_requests_keep_the_duty_and_the_generate_block(data) -> None:
    spec = mayhap.Spec.from_text("""enum Request { Get(int), Stop }
        protocol p { request Request; response int; on Get(n) { expects n > 2; reply n; } on Stop { reply 0; }
            generate { Stop: 0; } }""")
    request = data.draw(mayhap.requests(spec))
    assert request["Get"] > 2
