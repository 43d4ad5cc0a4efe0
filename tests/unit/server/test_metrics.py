"""Metrics: counted, and written as Prometheus reads them."""

from __future__ import annotations

from everfact.server.http.metrics import Metrics


def test_everything_counted_is_rendered() -> None:
    metrics = Metrics()
    metrics.count_request("POST", 200)
    metrics.count_request("POST", 200)
    for seconds in (0.001, 0.2, 99.0):
        metrics.count_call("search", "done", seconds)
    lines = metrics.render({"pending": 3}).splitlines()
    assert 'everfact_http_requests_total{method="POST",status="200"} 2' in lines
    assert 'everfact_tool_calls_total{tool="search",outcome="done"} 3' in lines
    assert 'everfact_tool_seconds_bucket{tool="search",le="0.005"} 1' in lines
    assert 'everfact_tool_seconds_bucket{tool="search",le="0.25"} 2' in lines
    assert 'everfact_tool_seconds_bucket{tool="search",le="60"} 2' in lines
    assert 'everfact_tool_seconds_bucket{tool="search",le="+Inf"} 3' in lines
    assert 'everfact_tool_seconds_sum{tool="search"} 99.201000' in lines
    assert "everfact_pending 3" in lines
    assert len([line for line in lines if line.startswith("# TYPE")]) == 4
