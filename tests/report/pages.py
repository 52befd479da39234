"""What the tests of reports share: hostile data, and a page as a browser's parser sees it."""

from collections import Counter
from html.parser import HTMLParser

import numpy as np

from s2fs import S2FS
from s2fs.io import Dataset

HOSTILE_FEATURE = "<script>alert(1)</script>"
HOSTILE_CLASS = '"><img src=x onerror=alert(2)>'
FEATURES = [
    HOSTILE_FEATURE,
    "' onmouseover='alert(3)",
    "{{ 7 * 7 }}",
    "$\\frac{1}{",
    "</title></svg><script>alert(4)</script>",
    '遺伝子,"quoted"',
    "&lt;b&gt;",
    "=1+1",
]
CLASSES = [HOSTILE_CLASS, "</style><script>alert(5)</script>", "<!-- --> ]]>"]


def hostile_data():
    """Three classes that every one of the eight features tells apart a little."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    return Dataset(rng.normal(size=(36, 8)) + y[:, None] * rng.random(8), y, FEATURES, CLASSES)


def fitted(data, k):
    return S2FS(k).fit(data.X, data.y)


class Page(HTMLParser):
    """Tags, ids, links and table rows of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.ids, self.rows, self.text = Counter(), Counter(), [], []
        self.attributes = []
        self._cell = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids.update(value for name, value in attrs if name == "id")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        self.text.append(data)
        if self._cell is not None:
            self._cell += data
