"""Journals of labels lose nothing that was stored, and count nothing twice."""

import threading

import pytest

from semscale.errors import InputError
from semscale.workbench.label_journals import Entry, Journal, Journals, journal_name


def entry(number, row, label="3", **further):
    return Entry(id=f"id-{number}", rater="Ada", row=row, label=label, **further)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "labels" / "ada.jsonl")


def test_entries_are_stored_in_order_and_once(journal):
    for number, row in ((1, 7), (2, 3), (1, 7), (2, 9)):  # two are sent again, one with another row
        journal.add(entry(number, row))
    assert list(Journal(journal.path).labels().labelled) == [7, 3]
    assert len(journal.path.read_bytes().splitlines()) == 2


def test_a_later_label_replaces_and_undo_restores(journal):
    journal.add(entry(1, 7, "3"))
    journal.add(entry(2, 7, "5"))
    assert journal.labels().labelled[7].label == "5"
    journal.add(entry(3, 0, act="undo"))
    assert journal.labels().labelled[7].label == "3"
    journal.add(entry(4, 0, act="undo", undoes="id-1"))
    journal.add(entry(5, 0, act="undo"))  # nothing is left to undo
    assert not journal.labels().labelled
    assert len(journal.path.read_bytes().splitlines()) == 4


def test_an_undo_that_arrives_before_its_label_takes_it_back(journal):
    journal.add(entry(2, 0, act="undo", undoes="id-1"))
    journal.add(entry(1, 7))
    assert not journal.labels().labelled


def test_skipped_texts_are_not_labelled_until_they_are(journal):
    journal.add(entry(1, 7, "", act="skip"))
    journal.add(entry(2, 8, "", act="skip"))
    journal.add(entry(3, 7, "2"))
    assert journal.labels().skipped == (8,)
    assert list(journal.labels().labelled) == [7]


def test_a_line_that_was_cut_short_is_left_aside_and_the_next_one_is_kept(journal):
    journal.add(entry(1, 7))
    content = journal.path.read_bytes()
    for cut in (1, 2, len(content) // 2, len(content) - 2):
        journal.path.write_bytes(content + content.replace(b"id-1", b"id-2")[:cut])
        again = Journal(journal.path)
        assert list(again.labels().labelled) == [7]
        again.add(entry(3, 9))
        labels = Journal(journal.path).labels()
        assert list(labels.labelled) == [7, 9]
        assert labels.n_unreadable == 1


def test_a_change_by_another_process_is_seen(journal):
    journal.add(entry(1, 7))
    Journal(journal.path).add(entry(2, 8))
    assert list(journal.labels().labelled) == [7, 8]


def test_threads_lose_nothing(journal):
    threads = [threading.Thread(target=journal.add, args=(entry(n, n),)) for n in range(1, 41)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Journal(journal.path).labels().labelled) == list(range(1, 41))


def test_comments_and_labels_with_any_signs_come_back(journal):
    hostile = "<b>a</b>\n\r\u2028 \x00 'quoted' \\ ünï"
    journal.add(entry(1, 7, "price; “food”", comment=hostile))
    assert Journal(journal.path).labels().labelled[7].comment == hostile


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\x00b", "\ud800\udfff\n\x07", "Adjudicated"])
def test_names_that_cannot_be_shown_are_refused(name):
    with pytest.raises(InputError, match="rater"):
        journal_name(name)


def test_names_lead_to_one_file_each_in_the_folder(tmp_path):
    names = ["Ada", "../ada", "..", "/etc/passwd", "a/b", "a-b", "a b", "C:\\a", "Ёж", "名前", "x" * 60]
    names += ["x" * 59, "İ", "ada.", "~ada", "a%2fb", "con.jsonl"]
    stems = [journal_name(name) for name in names]
    assert len(set(stems)) == len(names)
    for name, stem in zip(names, stems, strict=True):
        journal = Journals(tmp_path).of_rater(name)
        assert journal.path.parent == tmp_path, name
        assert len(journal.path.name.encode()) <= 200
        assert all(sign.isalnum() or sign == "-" for sign in stem)
    assert journal_name("ADA") == journal_name(" ada ") == journal_name("Ada")


def test_people_are_listed_by_name_without_the_adjudicated_labels(tmp_path):
    journals = Journals(tmp_path)
    for name in ("Ada", "Bo/../Bo"):
        journals.of_rater(name).add(Entry(id="1", rater=name, row=2, label="4"))
    journals.adjudicated().add(Entry(id="1", rater="Ada", row=2, label="4"))
    journals.of_rater("Cy").add(Entry(id="1", rater="Cy", act="skip", row=2))
    assert set(Journals(tmp_path).by_rater()) == {"Ada", "Bo/../Bo"}
