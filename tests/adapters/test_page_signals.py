"""Walls, shells and error pages in several languages, and the texts that look like them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lambdas.adapters.page_reader import PageReader
from lambdas.adapters.page_signals import signals_of
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.pages import Page

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"


def read(markup: str | bytes) -> Text:
    body = markup.encode() if isinstance(markup, str) else markup
    page = Page(url="https://any.example/x", status=200, content_type="text/html", body=body)
    return PageReader().read(page)


def code_of(markup: str | bytes) -> str:
    with pytest.raises(SourceUnreadable) as caught:
        read(markup)
    assert caught.value.dependency == "any.example"
    assert str(caught.value).startswith("The page at any.example ")
    return caught.value.code


def page(title: str, inside: str, *, head: str = "") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body>{inside}</body></html>"


def site(title: str, inside: str) -> str:
    """With what stands around everything on a site."""
    links = "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(12))
    return page(
        title,
        f"<header><a href='/'>Any Company</a></header><nav><ul>{links}</ul></nav>"
        f"<main>{inside}</main><footer><p>Copyright Any Company, all rights reserved.</p></footer>",
    )


# Consent

ASKS_CONSENT = {
    "en": (
        "We value your privacy",
        (
            "We and our 842 partners store and access cookies on your device to measure content"
            " and to show you personalised ads. By choosing Accept you consent to this. You can"
            " withdraw your consent at any time in the privacy settings."
        ),
        ("Accept all", "Manage options"),
    ),
    "de": (
        "Bevor es weitergeht",
        (
            "Wir und unsere Partner verwenden Cookies, um Ihnen personalisierte Werbung zu"
            " zeigen. Mit Klick auf Zustimmen willigen Sie in die Verarbeitung Ihrer Daten ein."
            " Ihre Einwilligung können Sie im Datenschutz-Center jederzeit widerrufen."
        ),
        ("Zustimmen und weiter", "Ablehnen"),
    ),
    "nl": (
        "Jouw privacy",
        (
            "Wij en onze partners gebruiken cookies om je persoonlijke advertenties te tonen."
            " Als je op Akkoord klikt, geef je toestemming om je gegevens te verwerken. Je kunt"
            " je toestemming altijd weer intrekken via de privacy-instellingen."
        ),
        ("Akkoord", "Weigeren"),
    ),
    "fr": (
        "Avant de continuer",
        (
            "Avec votre accord, nous et nos partenaires utilisons des cookies pour vous proposer"
            " de la publicité personnalisée. En cliquant sur Accepter, vous donnez votre"
            " consentement au traitement de vos données. Vous pouvez retirer votre consentement"
            " à tout moment."
        ),
        ("Tout accepter", "Continuer sans accepter"),
    ),
    "es": (
        "Tu privacidad nos importa",
        (
            "Nosotros y nuestros socios utilizamos cookies para mostrarte publicidad"
            " personalizada. Al pulsar Aceptar das tu consentimiento para tratar tus datos."
            " Puedes retirar tu consentimiento en cualquier momento en los ajustes de privacidad."
        ),
        ("Aceptar todo", "Rechazar"),
    ),
    "ja": (
        "プライバシーについて",
        (
            "当サイトでは、お客様に合わせた広告を表示するためにCookieを使用しています。「同意する」を押すと、当社が個人情報を"
            "処理することに同意したことになります。お客様はいつでも同意を取り消すことができます。"
        ),
        ("同意する", "拒否する"),
    ),
}


@pytest.mark.parametrize("language", ASKS_CONSENT)
def test_a_request_for_consent_alone_is_a_consent_wall(language: str) -> None:
    title, words, buttons = ASKS_CONSENT[language]
    asked = "".join(f"<button>{button}</button>" for button in buttons)
    assert code_of(page(title, f"<div><h1>{title}</h1><p>{words}</p>{asked}</div>")) == (
        "CONSENT_WALL"
    )


NEWS = {
    "en": (
        (
            "The average price of an air-to-water heat pump fell to 9,400 euro in June, the"
            " trade group said on Tuesday."
        ),
        "Installers reported shorter waiting times, from eleven weeks in spring to five in summer.",
        "Officials expect a further drop once the new plant in Graz starts production next year.",
    ),
    "de": (
        (
            "Der Stadtrat hat am Montag nach langer Debatte den neuen Wärmeplan für die Stadt"
            " beschlossen."
        ),
        "Die Arbeiten am nördlichen Netz beginnen im Frühjahr, sobald der Boden frostfrei ist.",
        "Anwohner können sich im Rathaus beraten lassen, wo auch die Zuschüsse erklärt werden.",
    ),
    "ja": (
        "市議会は月曜日、費用をめぐる長い議論の末、新しい暖房計画を承認した。",
        "技術者は春に北部の工事を始める予定で、期間は二年と見込まれている。",
        "住民は市役所で相談を受けられ、補助金の説明も聞くことができる。",
    ),
}


@pytest.mark.parametrize("language", NEWS)
def test_an_article_below_a_cookie_banner_is_kept_without_the_banner(language: str) -> None:
    title, words, buttons = ASKS_CONSENT[language]
    asked = "".join(f"<button>{button}</button>" for button in buttons)
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in NEWS[language])
    banner = f"<div class='cookie-banner'><h2>{title}</h2><p>{words}</p>{asked}</div>"
    found = read(page("Any news", f"{banner}<article><h1>Any news</h1>{paragraphs}</article>")).text
    assert all(paragraph in found for paragraph in NEWS[language])
    assert words[:30] not in found


# Missing pages and errors


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Page not found | Any Company", "The page you are looking for has moved or was deleted."),
        ("404", "Sorry, we could not find that. Go back to the start, or use the search above."),
        ("Error 404 - Any Company", "Nothing here. Perhaps one of these pages helps you instead?"),
        ("Any Company", "The page you requested does not exist. Please check the address again."),
        ("Any Shop", "Sorry! This page has been removed, but we have other things that you like."),
        (
            "Seite nicht gefunden \u2013 Beispiel GmbH",
            "Die gewünschte Seite konnte leider nicht gefunden werden. Nutzen Sie die Suche.",
        ),
        ("Beispiel", "Die angeforderte Seite existiert nicht mehr. Zur Startseite geht es hier."),
        (
            "Pagina niet gevonden",
            "De pagina die je zoekt bestaat niet (meer). Ga terug naar de startpagina.",
        ),
        ("Page introuvable", "La page que vous recherchez n'existe plus ou a été déplacée."),
        ("Página no encontrada", "La página que buscas no existe o ha cambiado de dirección."),
        ("Pagina non trovata", "La pagina che stai cercando non esiste più sul nostro sito."),
        (
            "ページが見つかりません",
            "お探しのページは削除されたか、移動した可能性があります。",
        ),
    ],
)
def test_a_missing_page_with_status_200_is_a_soft_404(title: str, words: str) -> None:
    assert code_of(site(title, f"<h1>Oh</h1><p>{words}</p>")) == "SOFT_404"


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Access Denied", "You don't have permission to access this page on this server."),
        ("403 Forbidden", "nginx"),
        ("503 Service Temporarily Unavailable", "Please come back in a little while, thank you."),
        ("Any Company", "The server encountered an internal error and could not go on with it."),
        ("Error", "Error establishing a database connection. Please contact the administrator."),
        (
            "Welcome to nginx!",
            (
                "If you see this page, the nginx web server is successfully installed and working."
                " Further configuration is required for it to serve anything of use."
            ),
        ),
        ("Index of /files", "Name Last modified Size Description of everything that lies here."),
        ("Site under maintenance", "We are making things better for you, and are back tomorrow."),
        (
            "Zugriff verweigert",
            "Sie haben keine Berechtigung, diese Seite aufzurufen, tut uns leid.",
        ),
        ("Er is een fout opgetreden", "Probeer het later nog eens, of neem contact met ons op."),
        ("Accès refusé", "Vous n'avez pas la permission de consulter cette ressource ici."),
        ("Error interno del servidor", "Vuelve a intentarlo dentro de unos minutos, por favor."),
        (
            "メンテナンス中",
            "ただいまシステムの作業を行っています。しばらくしてからお試しください。",
        ),
    ],
)
def test_an_error_with_status_200_is_an_error_page(title: str, words: str) -> None:
    assert code_of(page(title, f"<h1>{title}</h1><p>{words}</p>")) == "ERROR_PAGE"


# Proofs of being human, logins, scripts


@pytest.mark.parametrize(
    ("title", "inside"),
    [
        (
            "Just a moment...",
            "<noscript>Enable JavaScript and cookies to continue</noscript><script>go()</script>",
        ),
        (
            "any.example",
            (
                "<div id='challenge-container'></div><script"
                " src='/challenge.js'></script><noscript>JavaScript is disabled. In order to"
                " continue, we need to verify that you're not a robot. This requires"
                " JavaScript.</noscript>"
            ),
        ),
        (
            "any.example",
            (
                "<p id='cmsg'>Please enable JS and disable any ad blocker</p>"
                "<script src='https://geo.captcha.example/c.js'></script>"
            ),
        ),
        (
            "Access to this page has been denied",
            (
                "<div id='px-captcha'></div><h1>Press & Hold to confirm you are a"
                " human</h1><p>Access to this page has been denied because we believe you are"
                " using automation tools to browse the website. Reference ID: #123</p>"
            ),
        ),
        (
            "",
            "<p>Request unsuccessful. Incident ID: 123-456</p><iframe src='/_Incident'></iframe>",
        ),
        (
            "Pardon Our Interruption",
            (
                "<p>As you were browsing, something about your browser made us think you were a"
                " bot. There are a few reasons this might happen.</p><form id='captcha'></form>"
            ),
        ),
        (
            "Any Company",
            (
                "<h1>Verify you are human</h1><p>any.example needs to review the security of your"
                " connection before proceeding.</p>"
            ),
        ),
        (
            "Sicherheitsüberprüfung",
            "<p>Bitte bestätigen Sie, dass Sie ein Mensch sind, um fortzufahren.</p>",
        ),
        (
            "Even geduld",
            "<p>We controleren of je een mens bent voordat je naar de website verdergaat.</p>",
        ),
        (
            "Un instant…",
            "<p>Vérification que vous êtes un humain. Cela peut prendre quelques secondes.</p>",
        ),
        (
            "Un momento…",
            (
                "<p>Verifica que eres un ser humano completando la acción que aparece a"
                " continuación.</p>"
            ),
        ),
        (
            "しばらくお待ちください...",
            "<p>あなたが人間であることを確認しています。これには数秒かかることがあります。</p>",
        ),
    ],
)
def test_a_demand_for_proof_is_a_bot_challenge(title: str, inside: str) -> None:
    assert code_of(page(title, inside)) == "BOT_CHALLENGE"


@pytest.mark.parametrize(
    "inside",
    [
        (
            "<h1>Sign in</h1><form><label>E-mail</label><input name=e><label>Password</label>"
            "<input type=password><button>Sign in</button></form><p>New here? Create an account and"
            " enjoy everything that we have to offer, free for thirty days.</p>"
        ),
        (
            "<h1>Heat pumps get cheaper</h1><p>The average price of a unit fell to 9,400 euro in"
            " June, and that is not even the end of it.</p><div>Subscribe to continue reading."
            " Already have an account? <a href='/login'>Log in</a></div>"
        ),
        (
            "<h1>Wärmepumpen werden billiger</h1><p>Der Preis fiel im Juni auf 9.400 Euro, und"
            " das ist noch nicht alles.</p><p>Dieser Artikel ist nur für Abonnenten"
            " zugänglich.</p>"
        ),
        (
            "<h1>Warmtepompen goedkoper</h1><p>De prijs daalde in juni naar 9.400 euro, en dat"
            " is nog niet alles.</p><p>Dit artikel is alleen voor abonnees. Log in om verder te"
            " lezen.</p>"
        ),
        (
            "<h1>Les prix baissent</h1><p>Le prix moyen est tombé à 9 400 euros en juin, et ce"
            " n'est pas tout.</p><p>Cet article est réservé aux abonnés.</p>"
        ),
        (
            "<h1>Bajan los precios</h1><p>El precio medio bajó a 9.400 euros en junio, y eso no es"
            " todo.</p><p>Contenido exclusivo para suscriptores.</p>"
        ),
        "<h1>価格が下がる</h1><p>平均価格は六月に9400ユーロまで下がった。</p><p>この記事は会員限定です。続きを読むにはログインしてください。</p>",
    ],
)
def test_what_only_members_see_is_a_login_wall(inside: str) -> None:
    assert code_of(site("Any Company", inside)) == "LOGIN_WALL"


@pytest.mark.parametrize(
    "inside",
    [
        "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>",
        "<div id=app></div><script src='/app.js'></script>",
        (
            "<main>Dieses Angebot benötigt JavaScript. Bitte aktivieren Sie JavaScript in Ihrem"
            " Browser und laden Sie diese Seite dann noch einmal.</main>"
        ),
        (
            "<main>Cette application nécessite JavaScript pour fonctionner. Merci de l'activer"
            " dans les réglages de votre navigateur, puis de recharger.</main>"
        ),
        "<noscript>このサイトではJavaScriptを有効にしてください。</noscript><div id=main></div>",
    ],
)
def test_a_page_that_is_empty_without_scripts_is_told(inside: str) -> None:
    links = "".join(f"<a href='/{n}'>Section number {n}</a> " for n in range(30))
    assert code_of(page("Any application", inside)) == "NEEDS_JAVASCRIPT"
    assert code_of(page("Any application", f"{inside}<div>{links}</div>")) == "NEEDS_JAVASCRIPT"


# Lists of other pages


def card(number: int, headline: str, teaser: str) -> str:
    return f"<div class=card><h2><a href='/n/{number}'>{headline}</a></h2><p>{teaser}</p></div>"


@pytest.mark.parametrize(
    ("headline", "teaser"),
    [
        ("Grid fees rise in the north", "Households pay more from autumn, says the agency."),
        ("Netzentgelte steigen im Norden", "Haushalte zahlen ab Herbst mehr, sagt die Behörde."),
        ("北部の電気料金が上昇", "家庭の負担は秋から増える見込みだ。"),
    ],
)
@pytest.mark.parametrize("shape", ["{0}", "<ul>{0}</ul>", "<a href='/all'>All of it</a>{0}"])
def test_a_front_of_teasers_is_an_index_page(headline: str, teaser: str, shape: str) -> None:
    cards = "".join(card(n, f"{headline} {n}", f"{teaser} {n}") for n in range(12))
    markup = page("Energy news", f"<main><h1>Energy news</h1>{shape.format(cards)}</main>")
    assert code_of(markup) == "INDEX_PAGE"


def test_a_front_whose_cards_are_links_as_a_whole_is_an_index_page() -> None:
    cards = "".join(
        f"<a href='/n/{n}'><h3>Grid fees rise in the north {n}</h3>"
        f"<p>Households pay more from autumn on, for the {n}th time in a row.</p></a>"
        for n in range(12)
    )
    assert code_of(page("News", f"<main><h1>News</h1>{cards}</main>")) == "INDEX_PAGE"


def test_a_short_article_with_many_teasers_beside_it_is_read() -> None:
    cards = "".join(card(n, f"Grid fees rise again {n}", "Households pay more.") for n in range(20))
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in NEWS["en"])
    text = read(
        page(
            "Any", f"<article><h1>Prices fall</h1>{paragraphs}</article><section>{cards}</section>"
        )
    )
    assert "9,400 euro" in text.text


def test_a_page_of_nothing_but_a_few_links_is_told() -> None:
    links = "".join(
        f"<p><a href='/{n}'>Open the section number {n} of it</a></p>" for n in range(9)
    )
    markup = page("Any", f"<main>{links}</main>")
    with pytest.raises(SourceUnreadable) as caught:
        read(markup)
    assert caught.value.code in {"LOW_CONTENT", "NO_TEXT"}


# What must not be taken for any of these

ABOUT = {
    "cookies": (
        "What cookies are, and why you are asked about them",
        (
            "A cookie is a small text that a website stores in the browser. Regulators ask for"
            " consent before cookies are set that follow people from one site to the next. The"
            " court in Luxembourg decided in 2019 that a box that is ticked already is no"
            " consent. Since then most publishers show a banner with two buttons. A study of"
            " 2,000 sites found that one in three set tracking cookies even where visitors"
            " refused. The authority fined four companies in March, and says that it will look"
            " at advertising partners next. Browsers have begun to block cookies of third"
            " parties on their own, so that banners may vanish."
        ),
    ),
    "404": (
        "Why a page that is not found should say so",
        (
            "When an address leads nowhere, a server should answer with status 404. Many answer"
            " with status 200 and a friendly page instead, and search engines then keep a page"
            " that says nothing. The team counted such answers on 5,000 sites: on 14 percent of"
            " them, a page not found came with the status of success. Mending it takes one line"
            " in most servers. The words on the page matter as well: the best ones name the"
            " error, offer a search and lead to the start, and do not blame the visitor for a"
            " typing error that was the author's."
        ),
    ),
    "captchas": (
        "Captchas keep people out, not robots",
        (
            "Researchers let 1,400 volunteers solve puzzles that are meant to tell humans from"
            " robots. People took 15 seconds on average and failed every fifth time; programs"
            " took one second and hardly ever failed. Shops lose a tenth of their customers at"
            " such a puzzle, the study says. Several large providers now look at how a browser"
            " behaves instead, and ask nobody to prove that they are human. Blind people in"
            " particular are glad about it, since the puzzles that can be heard are even harder"
            " than those that can be seen."
        ),
    ),
    "JavaScript": (
        "The language of the web turns thirty",
        (
            "JavaScript was written in ten days in 1995, and has run in every browser since. A"
            " page may require JavaScript for its menus today, and many applications are empty"
            " without it. The committee adds new features each June; this year come iterators"
            " that are lazy, sets that know union and intersection, and regular expressions that"
            " escape themselves. Engines have become a hundred times faster. Those who write"
            " libraries still test them with JavaScript disabled, because search engines and"
            " screen readers see more of such a page."
        ),
    ),
    "maintenance": (
        "Service unavailable on three mornings in May",
        (
            "The bridge over the canal is closed for maintenance on three mornings in May. Trams"
            " turn around at the market, and buses go over the northern bridge, which takes ten"
            " minutes more. The city says that the steel is in a better state than was feared,"
            " and that the next works are due in 2031. Those who live nearby got a letter with"
            " the hours. Deliveries are possible before six and after noon; the fire brigade"
            " keeps a lane of its own. The works cost 1.2 million euro, which is less than half"
            " of what the council had set aside."
        ),
    ),
}


@pytest.mark.parametrize("subject", ABOUT)
def test_an_article_about_a_wall_is_no_wall(subject: str) -> None:
    title, words = ABOUT[subject]
    text = read(site(title, f"<article><h1>{title}</h1><p>{words}</p></article>"))
    assert words[-40:] in text.text


@pytest.mark.parametrize(
    "notice",
    [
        (
            "Any Company opens its plant in Graz on 4 May 2026. The plant makes 40,000 heat pumps a"
            " year and employs 220 people. Contact: press@any.example"
        ),
        (
            "Der Vorstand der Beispiel AG hat am 4. Mai beschlossen, die Dividende auf 1,20 Euro je"
            " Aktie zu erhöhen. Die Hauptversammlung stimmt am 12. Juni darüber ab."
        ),
        (
            "Le conseil d'administration a nommé Anne Exemple directrice générale. Elle prendra ses"
            " fonctions le 1er septembre et succède à Paul Modèle, qui prend sa retraite."
        ),
    ],
)
def test_a_short_notice_is_read(notice: str) -> None:
    head = "<script src='/stats.js'></script>"
    body = f"<div id=top></div><h1>Press notice</h1><p>{notice}</p><noscript><img src=x></noscript>"
    assert notice in read(page("Press notice | Any Company", body, head=head)).text


@pytest.mark.parametrize(
    "beside",
    [
        "<p>You must be logged in to post a comment.</p>",
        "<p>Please log in to rate this article.</p><button>Subscribe to our newsletter</button>",
        "<noscript>Please enable JavaScript to see the comments.</noscript>",
        "<div class=g-recaptcha></div><form><input type=search><button>Accept</button></form>",
    ],
)
def test_a_short_notice_is_read_whatever_stands_below_it(beside: str) -> None:
    notice = (
        "Any Company opens its plant in Graz on 4 May 2026. The plant makes 40,000 heat pumps a"
        " year and employs 220 people, most of them from the region."
    )
    assert notice in read(page("Press notice", f"<main><p>{notice}</p></main>{beside}")).text


@pytest.mark.parametrize("title", ["Forbidden", "Maintenance", "404 ways to cook rice", "Captcha"])
def test_a_title_that_means_something_else_is_no_error(title: str) -> None:
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in NEWS["en"])
    assert "9,400" in read(site(f"{title} | Any Company", f"<h1>{title}</h1>{paragraphs}")).text


def test_a_table_of_prices_on_a_page_that_likes_scripts_is_read() -> None:
    plans = [("Basic", 9), ("Team", 29), ("Business", 79), ("Enterprise", 249), ("Trial", 0)]
    rows = "".join(
        f"<tr><td>{name}</td><td>{price} euro a month</td><td>{price * 3} users</td><td>E-mail"
        " support</td></tr>"
        for name, price in plans
    )
    table = f"<table><tr><th>Plan</th><th>Price</th><th>Users</th><th>Help</th></tr>{rows}</table>"
    noscript = "<noscript>Please enable JavaScript for the best experience.</noscript>"
    assert "249 euro" in read(site("Pricing", f"<h1>Pricing</h1>{table}{noscript}")).text


def test_a_changelog_whose_versions_are_links_is_read() -> None:
    entries = "".join(
        f"<h2><a href='/releases/{n}'>Version 2.{n} of May {n + 1}</a></h2><ul><li>Fixed the loss"
        f" of settings number {n} at a restart.</li><li>Added a switch for it.</li></ul>"
        for n in range(15)
    )
    assert "number 14" in read(site("Changelog", f"<h1>Changelog</h1>{entries}")).text


def test_a_reference_whose_headings_link_to_themselves_is_read() -> None:
    entries = "".join(
        f"<h3><a href='#f{n}'>The function number {n}</a></h3><p>Returns the number {n}.</p>"
        for n in range(20)
    )
    assert "Returns the number 19." in read(site("Reference", f"<h1>All</h1>{entries}")).text


def test_a_cookie_policy_is_a_text_like_others() -> None:
    _, words, _ = ASKS_CONSENT["en"]
    body = f"<h1>Cookie policy</h1><p>{words}</p><button>Accept all</button>"
    assert words in read(page("Cookie policy", body)).text


# The signals themselves


def test_a_page_in_one_large_form_has_words_of_its_own() -> None:
    signals = signals_of(page("Any", "<form><p>Some words here.</p><button>Go</button></form>"), "")
    assert signals.own == "Some words here."
    assert signals.buttons == ("Go",)


def test_hidden_words_and_scripts_are_no_signals() -> None:
    inside = "<p hidden>one</p><p style='display: none'>two</p><script>three</script><p>four</p>"
    assert signals_of(page("Any", inside), "").own == "four"


# The field's own inputs


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("C22_soft404.html", "SOFT_404"),
        ("C23_consent_wall.html", "CONSENT_WALL"),
        ("D04_index_page.html", "INDEX_PAGE"),
        ("D14_script_only.html", "NEEDS_JAVASCRIPT"),
    ],
)
def test_field_cases_are_told(name: str, code: str) -> None:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: the tests beside this one cover it")
    assert code_of(path.read_bytes()) == code


def test_field_case_c23_keeps_the_article_and_leaves_out_its_banner() -> None:
    path = INPUTS / "C23_article_with_banner.html"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside this repository: a test here covers it")
    text = read(path.read_bytes()).text
    assert "9,400 euro in June" in text
    assert "cookies" not in text


def test_no_real_article_is_taken_for_a_wall() -> None:
    corpus = INPUTS.parents[1] / "corpus" / "articles"
    if not corpus.exists():
        pytest.skip("the corpus of real pages is not beside this repository")
    for name in json.loads((corpus / "ground-truth.json").read_text("utf-8")):
        read(gzip.decompress((corpus / f"html/{name}.html.gz").read_bytes()))
