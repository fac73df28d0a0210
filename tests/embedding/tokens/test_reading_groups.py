"""Long texts are cut into windows, and their states joined again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semscale.embedding.token_states import ReadingGroup, WindowedText

CLS, SEP = 101, 102


def states_of(ids):
    """States that show their token: the id itself, in one dimension."""
    return np.asarray(ids, np.float32)[:, None]


def test_windows_have_special_tokens_around_their_part():
    text = WindowedText.cut(np.array([CLS, 1, 2, 3, 4, 5, SEP], np.int32), (1, 1), room=3, overlap=1)
    assert [window.tolist() for window in text.windows] == [[CLS, 1, 2, 3, SEP], [CLS, 3, 4, 5, SEP]]
    # Token 3 is at the edge of both windows, as far from it in the first.
    assert text.owner.tolist() == [0, 0, 0, 1, 1]


@given(st.integers(1, 40), st.integers(2, 12), st.data())
def test_joined_states_are_those_of_the_text(content, room, data):
    overlap = data.draw(st.integers(0, room - 1))
    ids = np.array([CLS, *range(1, content + 1), SEP], np.int32)
    text = WindowedText.cut(ids, (1, 1), room=room, overlap=overlap)
    assert all(len(window) <= room + 2 for window in text.windows)
    assert text.joined([states_of(window) for window in text.windows])[:, 0].tolist() == ids.tolist()


def test_a_text_is_yielded_when_all_its_windows_are_there():
    short = np.array([CLS, 9, SEP], np.int32)
    long = np.array([CLS, 1, 2, 3, 4, SEP], np.int32)
    texts = [WindowedText.whole(short), WindowedText.cut(long, (1, 1), room=2, overlap=0)]
    group = ReadingGroup(np.array([7, 3]), texts)
    assert [row.tolist() for row in group.rows] == [[CLS, 9, SEP], [CLS, 1, 2, SEP], [CLS, 3, 4, SEP]]
    last = np.stack([states_of(group.rows[2])])
    assert list(group.joined(np.array([2]), last)) == []
    ((number, states),) = group.joined(np.array([0]), np.stack([states_of(short)]))
    assert (number, states[:, 0].tolist()) == (7, short.tolist())
    ((number, states),) = group.joined(np.array([1]), np.stack([states_of(group.rows[1])]))
    assert (number, states[:, 0].tolist()) == (3, long.tolist())
