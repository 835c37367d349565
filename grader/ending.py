"""What it says of a program that a stage ended without a report."""

from grader.core.evidence import Ended, Evidence
from grader.sandbox.slot import Ended as StageEnded
from grader.sandbox.slot import StageEnd
from tpu_runner.protocol import AnswerReport, CompileReport, TraceReport


def without_report(
    end: StageEnd[TraceReport] | StageEnd[CompileReport] | StageEnd[AnswerReport],
    what: str,
    seconds: float,
) -> Evidence:
    """Return the evidence of a stage that ended without a report; `seconds` was its limit.

    Only a process that never got ready is our fault: what ends a started one is in the program.
    """
    match end.ended:
        case StageEnded.TIMED_OUT:
            return Evidence(
                ended=Ended.LIMIT, message=f"{what} took longer than {seconds:g} seconds."
            )
        case StageEnded.OUT_OF_MEMORY:
            return Evidence(ended=Ended.LIMIT, message=f"{what} needed more memory than there is.")
        case StageEnded.NOT_STARTED:
            return Evidence(
                ended=Ended.OUR_FAULT, message=f"the process did not start ({end.detail})"
            )
        case _:
            return Evidence(
                ended=Ended.LEARNER_ERROR,
                message=f"{what} gave no program: the process ended or wrote something else.",
            )
