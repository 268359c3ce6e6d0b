"""Reads DATA, the tree that a picture carries for its script (render/svg/data.h), and puts pieces into it."""
import html
import json
import re

DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'


def of_picture(svg):
    """DATA of a picture, as an XML parser gives it."""
    return html.unescape(re.search(r'<metadata class="d">(.*?)</metadata>', svg, re.S).group(1))


class Numbers:
    def __init__(self, text):
        self.text, self.at = text, 0

    def next(self):
        value = shift = 0
        while True:
            digit = DIGITS.index(self.text[self.at])
            self.at += 1
            value |= (digit & 31) << shift
            if digit < 32:
                return value
            shift += 5


class Node:
    """text: scope TAB name TAB signature, None for the root; hidden: None, or what a stub says."""

    def __init__(self, text, own):
        self.text, self.own, self.children, self.hidden = text, own, [], None


class Data:
    def __init__(self, text):
        head, rest = text.split('\n', 1)
        lines, _, written = rest.rpartition('\n\n') if not rest.startswith('\n') else ('', '', rest[1:])
        numbers = Numbers(written.removesuffix('\n'))
        self.header = json.loads(head)
        self.values = self.header['values']
        self.frames = list(self.read_frames(lines.split('\n') if lines else [], numbers))
        self.count = 0
        self.root = self.read_nodes(numbers)

    @staticmethod
    def read_frames(lines, numbers):
        before = ''
        for line in lines:
            _step, prefix, _origin, _colour = (numbers.next() for _ in range(4))
            before = before[:prefix] + line
            yield before

    def read_own(self, numbers, first):
        own = {}
        for v in self.values:
            if v['derived']:
                own[v['name']] = max(0, own['wall'] - own['cpu'])
            elif v['role'] == 'cpu' and first & 4:
                own[v['name']] = own['wall']
            elif v['role'] == 'calls' and first & 2:
                own[v['name']] = 1
            else:
                own[v['name']] = numbers.next() * v['scale']
        return own

    def read_nodes(self, numbers):
        open_nodes = []
        while numbers.at < len(numbers.text):
            first, frame = numbers.next(), numbers.next()
            node = Node(self.frames[frame - 1] if frame else None, self.read_own(numbers, first))
            if first & 1:
                node.hidden = {key: numbers.next() for key in ('place', 'shown', 'children', 'nodes')}
                node.hidden['totals'] = {v['name']: numbers.next() * v['scale'] for v in self.values}
            if open_nodes:
                del open_nodes[len(open_nodes) - first // 8:]
                open_nodes[-1].children.append(node)
            open_nodes.append(node)
            self.count += 1
        return open_nodes[0]

    def stubs(self):
        todo = [self.root]
        while todo:
            node = todo.pop()
            todo += node.children
            if node.hidden:
                yield node

    def stacks(self):
        """{stack as a tuple of texts: own values}, for all nodes that are here."""
        found, todo = {}, [((), self.root)]
        while todo:
            stack, node = todo.pop()
            assert stack not in found, stack
            found[stack] = node.own
            todo += [(stack + (child.text,), child) for child in node.children]
        return found


def graft(node, piece):
    """Puts what a piece brings below the node whose stub it was asked for."""
    node.children += piece.root.children
    node.hidden = piece.root.hidden
