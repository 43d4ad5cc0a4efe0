"""Counts and durations, and their form for Prometheus. Small enough that a library would be more to read."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper ends of the buckets of durations, in seconds."""


class Metrics:
    """What has happened since the server started."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str]] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def count_request(self, method: str, status: int) -> None:
        """An HTTP request was answered."""
        self._requests[method, str(status)] += 1

    def count_call(self, tool: str, outcome: str, seconds: float) -> None:
        """A tool was called and took that long."""
        self._calls[tool, outcome] += 1
        buckets = self._buckets.setdefault(tool, [0] * (len(_BOUNDS) + 1))
        buckets[bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[tool] += seconds  # type: ignore[assignment]  # a Counter may hold fractions

    def render(self, gauges: Mapping[str, float]) -> str:
        """Everything counted, and `gauges` as they stand now, in Prometheus' text format."""
        lines = [*_family("everfact_http_requests_total", "HTTP requests answered.", "counter", self._request_lines())]
        lines += _family("everfact_tool_calls_total", "Tool calls by outcome.", "counter", self._call_lines())
        lines += _family("everfact_tool_seconds", "How long tool calls took.", "histogram", self._duration_lines())
        for name, value in gauges.items():
            lines += [f"# TYPE everfact_{name} gauge", f"everfact_{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _request_lines(self) -> Iterator[str]:
        for (method, status), number in sorted(self._requests.items()):
            yield f'everfact_http_requests_total{{method="{method}",status="{status}"}} {number}'

    def _call_lines(self) -> Iterator[str]:
        for (tool, outcome), number in sorted(self._calls.items()):
            yield f'everfact_tool_calls_total{{tool="{tool}",outcome="{outcome}"}} {number}'

    def _duration_lines(self) -> Iterator[str]:
        for tool, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, number in zip((*(f"{bound:g}" for bound in _BOUNDS), "+Inf"), buckets, strict=True):
                total += number
                yield f'everfact_tool_seconds_bucket{{tool="{tool}",le="{bound}"}} {total}'
            yield f'everfact_tool_seconds_sum{{tool="{tool}"}} {self._seconds[tool]:.6f}'
            yield f'everfact_tool_seconds_count{{tool="{tool}"}} {total}'


def _family(name: str, meaning: str, kind: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
    yield from lines
