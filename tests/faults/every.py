"""All walks there are."""
import functools

import commands
import lives
import power
import services
from control import SERIES


def walks(seed=1):
    """(name, series, walk), where walk(most) gives (points walked, findings); `most` as for points() in control.py. The seed
    is for what a power cut takes."""
    scenarios = [('aflamed ' + words, commands.walk, words) for words in commands.COMMANDS.values()]
    scenarios += [('service: ' + name, lives.walk, life) for name, life in lives.LIVES.items()]
    scenarios += [('service: ' + name, services.walk, scenario) for name, scenario in services.SCENARIOS.items()]
    for name, walk, scenario in scenarios:
        for series in SERIES:
            yield name, series, functools.partial(walk, scenario, series)
    for name, scenario in power.SCENARIOS.items():
        yield 'power cut: ' + name, 'power, at each change', functools.partial(power.walk, scenario, seed=seed)
