from __future__ import annotations

import subprocess
import sys

import pytest

from ltr.answers.claims import agreement, claim_of
from ltr.answers.text_side import relation, side_features, side_toward


@pytest.mark.parametrize(
    ("text", "target", "polarity"),
    [
        ("Should cars be banned from cities?", {"car", "citi"}, -1),
        ("This house would ban cars", {"car"}, -1),
        ("Cars should not be banned", {"car"}, 1),
        ("Chess isn't a sport", {"chess", "sport"}, -1),
        ("We should end the ban on hunting", {"hunt"}, 1),  # end turns ban
        ("The state should lift its ban on cars", {"state", "car"}, 1),
        ("WikiLeaks is a threat to national security", {"wikileak", "nation", "secur"}, -1),  # no word after "to"
        ("Is the upper house undemocratic?", {"upper", "hous"}, -1),
        ("Should a ban on cars be lifted?", {"car"}, 1),
        ("Was it wrong to ban cars?", {"car"}, 1),
        ("Is it a good idea to ban cars?", {"idea", "car"}, -1),
        ("Do patents hold back science?", {"patent", "scienc"}, -1),
        ("Should children lose the right to vote?", {"children", "vote"}, -1),
        ("Should the voting age be lowered?", {"vote"}, 1),  # a limit: lower is for voting
        ("Force-feed sufferers of anorexia", {"forc", "feed", "suffer", "anorexia"}, 1),  # people, and no suffering
        ("Raise the drinking age", {"drink"}, -1),
        ("Is genetically modified food unsafe?", {"genet", "modifi", "food"}, -1),
        ("Zoos bring more harm than good", {"zoo", "bring", "good"}, -1),  # before "than"
        ("Should harmless drugs be banned?", {"harmless", "drug"}, -1),  # a verb of policy, so praise is only a word
        ("Exports have effects", {"export", "effect"}, 1),  # no form of "effective", which has the same stem
        ("Would a ban on cars be a mistake?", {"car"}, 1),  # blame of a ban
        ("Is mandatory voting undemocratic?", {"vote"}, -1),
        ("Belief in God is irrational", {"belief", "god"}, -1),
        ("A ban on soup is necessary to protect the shark", {"soup", "protect", "shark"}, -1),
        ("Is it right for the state to restrict speech?", {"state", "speech"}, -1),
        ("Should foreigners be denied the vote?", {"foreign", "vote"}, -1),
        ("Should children be kept off Facebook?", {"children", "facebook"}, -1),
        ("Should drones no longer be used?", {"drone"}, -1),
        ("Do the benefits of zoos outweigh the harms?", {"zoo"}, 1),
        ("Do the risks of zoos outweigh the benefits?", {"zoo"}, -1),
        ("Should all museums be free of charge?", {"museum"}, 1),
        ("Should visitors of museums pay a fee?", {"visitor", "museum"}, -1),
        ("End the travel ban", {"travel"}, 1),
        ("Should the fence be torn down?", {"fenc"}, -1),
        ("Should the voting age stay at 18?", {"vote", "18"}, -1),  # and not be lowered
        ("Should illegal immigrants be deported?", {"illeg", "immigr"}, -1),  # only deported is what should be done
        ("Is nuclear power safe or dangerous?", {"nuclear", "power"}, 1),
        ("Should working hours be unlimited?", {"work", "hour"}, 1),
        ("Term limits for legislators", {"term", "legisl"}, -1),  # no verb
    ],
)
def test_a_claim_is_about_something_and_for_or_against_it(text, target, polarity):
    claim = claim_of(text)
    assert (claim.target, claim.polarity) == (target, polarity)


@pytest.mark.parametrize(
    ("question", "resolution", "same"),
    [
        ("Are PCs better than Macs?", "Macs are better than PCs", -1),
        ("Is photography superior to painting?", "Painting represents us better than photography", -1),
        ("Is shopping online worse than in stores?", "Shopping online is better than in shops", -1),
        ("Are PCs better than Macs?", "Use Macs", 0),  # a comparison meets no comparison
        ("Are PCs better than Macs?", "PCs are good", 1),
        ("Should Quebec remain in Canada?", "Quebec should declare independence from Canada", 0),  # "declare"?
        ("Should Quebec declare independence?", "Quebec should declare independence from Canada", 1),
        ("Should crime cameras be removed?", "Crime cameras", 0),  # "crime" blames, but is a part of the subject
        ("Should cars be banned?", "Cars are dangerous", 1),
    ],
)
def test_two_claims_say_the_same_the_opposite_or_it_is_in_doubt(question, resolution, same):
    assert agreement(claim_of(question), claim_of(resolution)) == same
    assert agreement(claim_of(resolution), claim_of(question)) == same


def test_a_reading_is_sure_where_all_words_say_the_same():
    assert claim_of("Should cars be banned?").sure
    assert not claim_of("Should bans that help cars be allowed?").sure  # allowed; ban times allowed without grammar


def test_a_conclusion_on_the_same_thing_says_the_same_or_the_opposite():
    assert relation("Should cars be banned?", "We should ban cars") == 1
    assert relation("Should cars be banned?", "Cars should be allowed") == -1
    assert relation("Should cars be banned?", "Trains should be allowed") == 0


@pytest.mark.parametrize(
    ("question", "conclusion", "side"),
    [
        ("Should nuclear power be expanded?", "Nuclear power is very expensive", "CON"),
        ("Should cars be banned from cities?", "Cars should be allowed in cities", "CON"),
        ("Should cars be banned from cities?", "Cars are dangerous in cities", "PRO"),
        ("Is golf a sport?", "Golf is not a sport", "CON"),
        ("Is golf a sport?", "Golf is a sport", "PRO"),
        ("Is golf a sport?", "Cars should be banned", "Q0"),
        ("How can we ban cars?", "Cars are dangerous", "Q0"),  # no question of yes or no
        ("Is golf a sport?", "", "Q0"),
    ],
)
def test_the_conclusion_says_the_side_and_the_stance_turns_it(question, conclusion, side):
    other = {"PRO": "CON", "CON": "PRO", "Q0": "Q0"}[side]
    assert side_toward(question, conclusion, "PRO") == side
    assert side_toward(question, conclusion, "CON") == other
    assert side_toward(question, conclusion, "") == "Q0"  # nobody says whether it is argued for


def test_sentences_speak_for_themselves():
    sentences = ["Nuclear power causes terrible harm."]
    assert side_toward("Should nuclear power be expanded?", "", "", sentences) == "CON"
    assert side_toward("Should nuclear power be abolished?", "", "", sentences) == "PRO"


def test_features_are_words_what_is_denied_and_how_much_of_the_target_is_named():
    asked = claim_of("Should old cars be banned?")
    # "old" and "car" are what is asked about: one of two is named. "safe" is denied, so it blames.
    about = {"=some", "=policy 0", "=value -", "=policy 0=some", "=value -=some", "=denied!=some", "=all 0-!=some"}
    said = {"", "are", "not", "!safe", "* are", "are not", "not safe"}
    assert side_features(asked, "Cars are not safe") == sorted(about | said)


def test_scikit_learn_is_not_needed():
    code = "import sys, ltr.answers.text_side as s; s.side_toward('Is golf a sport?', 'Golf is a sport', 'PRO'); "
    code += "sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_stance_of_no_conclusion_says_nothing():
    sentences = ["Nuclear power is a danger to our health."]
    question = "Should nuclear power be expanded?"
    assert len({side_toward(question, "", stance, sentences) for stance in ("PRO", "CON", "")}) == 1
