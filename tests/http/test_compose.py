"""Functions of Compose in system traces: what they are called, whose they are, and where they stand."""
from test_cli import Command
from test_diff import rows_of
import system_trace

APP = 42
FUNCTIONS = {
    # outside of classes: Kotlin puts them into a class of their file
    'com.example.feed.HomeScreen (HomeScreen.kt:31)': ('com.example.feed.HomeScreenKt', 'HomeScreen', 'HomeScreen.kt'),
    'com.example.feed.PostCard (HomeScreen.kt:7)': ('com.example.feed.HomeScreenKt', 'PostCard', 'HomeScreen.kt'),
    'androidx.compose.material3.Text (Text.kt:107)': ('androidx.compose.material3.TextKt', 'Text', 'Text.kt'),
    # within one
    'com.example.feed.MainActivity.onCreate.<anonymous> (MainActivity.kt:45)': ('com.example.feed.MainActivity.onCreate', '<anonymous>', 'MainActivity.kt'),
    'com.example.feed.Feed.Content (Feed.kt:12)': ('com.example.feed.Feed', 'Content', 'Feed.kt'),
}
OTHERS = ['draw (nothing.kt:1)', 'com.example.Foo (bar)', 'a b.c (D.kt:1)', 'com.example.Foo (Foo.kt)', 'com.example.Foo (Foo.java:1)', 'x.Y (.kt:1)',
          'com.example.Foo (Foo.kt:1) x', '.Foo (Foo.kt:1)', 'com. (Foo.kt:1)']


class Compose(Command):
    def methods(self, names):
        trace = system_trace.Trace()
        trace.process(APP, 'com.example.feed', uid=10001)
        trace.thread(APP, APP, 'com.example.feed')
        trace.run(1000, 0, APP)
        for i, name in enumerate(names):
            trace.begin(2000 + 100 * i, APP, APP, name)
        for i, _ in enumerate(names):
            trace.end(9000 + 1000 * i, APP, APP)
        return rows_of(self.command('methods', '-q', '--track', 'all', self.file('x.pb', trace.bytes())).stdout.decode())

    def test_functions(self):
        rows = self.methods(FUNCTIONS)
        self.assertEqual({(row['class'], row['method'], row['file']) for row in rows}, set(FUNCTIONS.values()))

    def test_what_is_no_function_keeps_its_name(self):
        for name in OTHERS:
            row, = self.methods([name])
            self.assertEqual(('%(class)s.%(method)s' % row).lstrip('.'), name.lstrip('.'))
            self.assertEqual(row['file'], '')
