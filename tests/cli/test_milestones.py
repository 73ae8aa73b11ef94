"""Progress in a file: a line from time to time, and none of short work."""

from microagg.cli.console import Milestones, PlainReporter, progress


def test_long_work_is_reported_from_time_to_time(capsys):
    clock = iter([0.0, 1.0, 29.0, 31.0, 45.0, 62.0, 93.0])
    reporter = Milestones("", lambda: next(clock))
    reporter.begin("Reading", 200)  # at 1 s
    for done in (10, 50, 100):  # at 29, 31 and 45 s
        reporter.reach(done)
    reporter.begin("Grouping", 0)  # at 62 s
    reporter.compiling("lns", 3, 7)  # at 93 s
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Reading: 25 %", "Grouping", "Compiling lns for this computer (once): 3 of 7"]


def test_quiet_commands_have_no_such_lines():
    with progress(show=True) as shown, progress(show=False) as silent:
        assert type(shown) is Milestones
        assert type(silent) is PlainReporter
