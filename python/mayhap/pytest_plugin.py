"""The plugin of pytest: the fixture ``mayhap_test``, and options for all tests that use it.

``pytest --mayhap-requests 100000 --mayhap-seed 7`` tests longer, and otherwise than usual.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from . import _testing
from .errors import ViolationError

if TYPE_CHECKING:
    from ._spec import Spec
    from ._testing import Report, System


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("mayhap", "tests of systems by specifications (mayhap)")
    group.addoption("--mayhap-seed", type=int, metavar="N", help="seed of the fixture mayhap_test, instead of the test's own")
    group.addoption("--mayhap-requests", type=int, metavar="N", help="number of requests of each test")
    group.addoption("--mayhap-time", type=float, metavar="S", help="seconds after which each test ends")
    group.addoption(
        "--mayhap-regressions",
        metavar="DIR",
        default="mayhap-regressions",
        help="directory for scripts of failures, below the root directory (default: mayhap-regressions); '' writes none",
    )


@pytest.fixture
def mayhap_test(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Callable[..., Report]:
    """``mayhap.test``, with the options of the command line in the place of the test's own settings.

    A violation says how to run the test again.
    """
    option = pytestconfig.getoption
    given: dict[str, Any] = {
        name: option(f"--mayhap-{name}") for name in ("seed", "requests", "time") if option(f"--mayhap-{name}") is not None
    }
    directory = option("--mayhap-regressions")

    def test(spec: Spec, make: Callable[[], System], **settings: Any) -> Report:
        __tracebackhide__ = True
        if directory:
            settings.setdefault("regressions", pytestconfig.rootpath / directory)
        try:
            return _testing.test(spec, make, **{**settings, **given})
        except ViolationError as error:
            again = f"pytest --mayhap-seed {error.report.seed} {shlex.quote(request.node.nodeid)}"
            error.args = (f"{error}\n\nagain:  {again}",)
            raise

    return test
