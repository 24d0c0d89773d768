"""Words that answer for one another in research about companies and their products.

One row, one matter. Before the bar stand words that say it themselves, behind it words that
hint at it. A question that uses any word of a row is answered by the others, a little less than
by its own word, and by a hint much less. An indented line goes on with the row above it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lambdas.agent.terms import listed, stem

ROWS = """
price cost fee charge tariff | plan tier rate billed subscription pay free discount
plan tier edition package subscription | price
launch release introduce unveil debut rollout changelog | ship announce new available now today
    beta preview add bring roll
announce unveil reveal | launch introduce release publish today said
deprecate retire sunset discontinue eol | remove withdraw end shutdown stop longer replace
    migrate drop phase legacy close shut
change update modify revise adjust switch | new now increase decrease raise lower reduce cut
    drop previously formerly replace add remove longer instead become
increase raise rise grow climb gain surge jump growth soar | higher expand double
decrease reduce lower cut fall drop decline shrink slash plunge slump tumble | less fewer
    cheaper
limit quota cap maximum allowance throttle | rate unlimited minimum exceed restrict
acquire buy acquisition purchase takeover merge merger | deal sell
sell sale divest spin | buy deal
revenue sale turnover earnings income | profit grow quarter billion million sell
profit earnings income margin profitability | revenue loss quarter
loss deficit | profit lose
fund invest raise financing investor | round million venture series capital lead valuation back
hire recruit appoint join | job new role ceo staff name team
layoff redundancy dismiss lay fire | job cut staff restructure
leave resign depart quit step | former successor replace
partner partnership collaborate alliance | together team agreement integrate
integrate connector plugin connect | support work api webhook
feature capability functionality function | new add support tool
support compatible compatibility work | available run require
secure security encryption vulnerability | protect breach audit compliance sso certify attack
    patch soc
vulnerability cve exploit flaw weakness | security bug patch attack
certify certification compliance comply accredit | audit iso soc gdpr hipaa
outage downtime incident disruption | unavailable fail failure restore
problem issue bug fault trouble | fail error break fix wrong
fix resolve repair patch | bug issue correct
customer client user subscriber | company use people
competitor rival competition compete | against market
employee staff worker workforce headcount | people team job hire
boss ceo chief president head director founder | lead executive chair
found founder start establish | begin create
cause reason due | lead result trigger blame
effect impact consequence result | affect lead mean
date deadline day schedule timeline |
guarantee warranty sla uptime | refund credit
refund cancel cancellation return reimburse | money back trial guarantee
trial demo evaluation | free day try
require need prerequisite mandatory | minimum version support
install installation setup deploy | run download configure
fast speed performance latency quick faster slow | second time benchmark
store storage retain retention keep | data gb delete day
delete erase remove | retention day
region country location headquarters based | available city office
law regulation legal rule | court ban comply require fine
lawsuit sue court litigation judge | legal claim settle file
die death kill dead fatal | injure victim
outlook forecast guidance projection predict | expect estimate target see
study research survey researcher | find show university report
say state tell claim comment | according
recommend suggest advise recommendation | best
compare comparison versus difference differ | better unlike
benefit advantage improve | better help
risk danger threat drawback disadvantage | concern warn harm
"""

# Nouns that stand for anything, and verbs that hardly narrow a question.
VAGUE = frozenset(
    map(
        stem,
        listed(
            """feature product service company thing new news information detail fact change update
            happen include offer provide available kind type sort main important key current latest
            recent recently way part topic use work need option say number amount people cause
            reason play do see show find good best large big small high low list different specific
            plan tier"""
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Row:
    strong: frozenset[str]
    weak: frozenset[str]


def _row(line: str) -> Row:
    strong, weak = (frozenset(map(stem, half.split())) for half in line.split("|"))
    return Row(strong, weak - strong)


TABLE = tuple(map(_row, ROWS.strip().replace("\n    ", " ").splitlines()))


def related(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems that say the same as a stem, and those that hint at it."""
    rows = [row for row in TABLE if word in row.strong]
    strong = frozenset[str]().union(*(row.strong for row in rows)) - {word}
    weak = frozenset[str]().union(*(row.weak for row in rows)) - strong - {word}
    return strong, weak
