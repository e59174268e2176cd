"""Reports: one HTML file about what was learned and how well, with all pictures inside."""

from treekernels.report.contents import Mistake, Report, ScoreTable
from treekernels.report.page import html_of, write_report
from treekernels.report.study import Split, study

__all__ = ["Mistake", "Report", "ScoreTable", "Split", "html_of", "study", "write_report"]
