"""What a disk holds after a power cut, from the journal of what a program did to it (journal.h).

The law is that of POSIX, taken at its word: the bytes of a file are there once the file was synced, its name once the folder
that has the name was synced. Everything else may be there or not, each by itself: of two changes of one name, which
follow each other, the later one is not there without the earlier one."""
import os
import random


class Node:
    """A file or a folder."""

    def __init__(self, is_folder):
        self.is_folder = is_folder
        self.data, self.synced = b'', b''         # of a file
        self.names, self.changes = {}, []         # of a folder: name -> node, as synced; (name, node or None) since then


class Loss:
    """How much is kept of what was not synced. A kind is a word for names and one for bytes."""

    def __init__(self, names='kept', data='kept', seed=None):
        self.names, self.data, self.random = names, data, random.Random(seed)
        self.words = '%s, bytes %s' % (names, data) if seed is None else 'seed %d' % seed
        self.seed = seed

    def changes(self, n):
        """So many of n changes of a name are kept."""
        if self.seed is not None:
            return self.random.randint(0, n)
        return n if self.names == 'kept' else 0

    def content(self, node):
        kind = self.data if self.seed is None else self.random.choice(('kept', 'lost', 'zeros', 'cut'))
        if node.data == node.synced or kind == 'kept':
            return node.data
        if kind == 'lost':
            return node.synced
        if kind == 'zeros':
            return node.synced + bytes(len(node.data) - len(node.synced))
        return node.data[:max(len(node.synced), len(node.data) // 2)]


LOSSES = (('kept', 'kept'), ('kept', 'lost'), ('kept', 'zeros'), ('lost', 'kept'), ('lost', 'lost'))


class Disk:
    """What is below the folder `top`, which is taken to be durable as it is now. `deaf` to 'sync' of a 'file' or of a
    'folder', it does not believe that these were synced: so it can be seen whether anybody would notice."""

    def __init__(self, top, deaf=()):
        self.top, self.deaf, self.of = top, deaf, {}
        self.given = {}     # path -> all files that had it
        self.root = self.scan(top)

    def scan(self, path):
        node = Node(os.path.isdir(path))
        self.given[path[len(self.top) + 1:]] = [node]
        st = os.stat(path)
        self.of['%d:%d' % (st.st_dev, st.st_ino)] = node
        if node.is_folder:
            node.names = {name: self.scan(os.path.join(path, name)) for name in os.listdir(path)}
        else:
            with open(path, 'rb') as file:
                node.data = node.synced = file.read()
        return node

    @staticmethod
    def current(folder, name):
        for changed, node in reversed(folder.changes):
            if changed == name:
                return node
        return folder.names.get(name)

    def find(self, path):
        """(folder, name) of a path; (None, None) if it is not below the top."""
        if not path.startswith(self.top + '/'):
            return None, None
        folder, parts = self.root, [part for part in path[len(self.top) + 1:].split('/') if part]
        for part in parts[:-1]:
            folder = self.current(folder, part)
        return folder, parts[-1]

    def give(self, path, node):
        folder, name = self.find(path)
        if folder is not None:
            folder.changes.append((name, node))
            self.given.setdefault(path[len(self.top) + 1:], []).append(node)
        return folder is not None

    def make(self, identity, path, is_folder):
        """A file that is opened for writing may be there already."""
        folder, name = self.find(path)
        if folder is not None and not is_folder and self.of.get(identity) is not None and \
                self.current(folder, name) is self.of[identity]:
            return True
        self.of[identity] = Node(is_folder)
        return self.give(path, self.of[identity])

    def sync(self, node):
        if node.is_folder and 'folder' not in self.deaf:
            for name, now in node.changes:
                node.names[name] = now
            node.changes = []
        if not node.is_folder and 'file' not in self.deaf:
            node.synced = node.data

    def apply(self, what, words, data):
        """One line of the journal. False: it is about nothing here."""
        if what in ('file', 'folder'):
            identity, path = words.split(' ', 1)
            return self.make(identity, path, what == 'folder')
        if what == 'name':
            identity, path = words.split(' ', 1)
            return self.give(path, self.of[identity])
        if what == 'unname':
            return self.give(words, None)
        node = self.of.get(words.split(' ')[0])
        if node is None:
            return False
        if what == 'sync':
            self.sync(node)
        elif what == 'write':
            at = int(words.split(' ')[1])
            node.data = node.data[:at].ljust(at, b'\0') + data + node.data[at + len(data):]
        return True

    def after(self, loss):
        """path -> bytes, None for a folder: what is there when power comes back."""
        found, todo = {}, [('', self.root)]
        while todo:
            path, folder = todo.pop()
            by_name = {}
            for name, node in folder.changes:
                by_name.setdefault(name, []).append(node)
            names = dict(folder.names)
            for name, nodes in by_name.items():
                kept = loss.changes(len(nodes))
                if kept > 0:
                    names[name] = nodes[kept - 1]
            for name, node in names.items():
                if node is not None and node.is_folder:
                    todo.append((path + name + '/', node))
                if node is not None:
                    found[path + name] = None if node.is_folder else loss.content(node)
        return found


def lines(journal):
    """(what, words, bytes of a write) of each line."""
    at = 0
    while at < len(journal):
        end = journal.index(b'\n', at)
        what, words = journal[at:end].decode().split(' ', 1)
        at, data = end + 1, b''
        if what == 'write':
            n = int(words.rsplit(' ', 1)[1])
            data, at = journal[at:at + n], at + n + 1
        yield what, words, data


def build(tree, folder, used_s):
    """Writes it there. All files were used at used_s."""
    for path, data in sorted(tree.items()):
        whole = os.path.join(folder, path)
        if data is None:
            os.makedirs(whole, mode=0o700)
            continue
        with open(whole, 'wb') as file:
            file.write(data)
        os.utime(whole, (used_s, used_s))
