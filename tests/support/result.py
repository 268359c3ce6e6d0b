"""What one test gave."""
import json

PASSED, FAILED, SKIPPED = 'passed', 'failed', 'skipped'
MARK = 'result: '


class Result:
    def __init__(self, name, state, detail='', seconds=0):
        self.name, self.state, self.detail, self.seconds = name, state, detail, seconds

    def to_line(self):
        """For the way from one process to another."""
        return MARK + json.dumps([self.name, self.state, self.detail, self.seconds])

    @staticmethod
    def from_line(line):
        """None for a line that is something else."""
        return Result(*json.loads(line[len(MARK):])) if line.startswith(MARK) else None
