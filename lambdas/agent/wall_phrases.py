"""What pages say that hold something back, by language: English, German, Dutch, French, Spanish,
Italian, Portuguese, Polish, Swedish, Japanese. Lower case, apostrophes straight.
"""

from __future__ import annotations

import re


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases))


# Whole titles and main headings. A title that only mentions one of these is another matter.

NOT_FOUND_TITLES = _any(
    r"(?:error|fout|fehler|erreur|errore|erro|fel)?[ :#-]*404[ :.-]*(?:error|fehler|erreur|fout)?",
    r"(?:[\w#]+ )?404[ :.-]+.*(?:not found|nicht gefunden|niet gevonden|introuvable|encontrad).*",
    r"(?:the |this |that |your |requested )*(?:page|file|content|document|article|url|resource)?"
    r" ?(?:was |is |could |can )?(?:not|no longer|cannot|can't be|couldn't be|not be)"
    r" (?:be )?(?:found|available|exist)(?: here)?",
    r"(?:this |the )?page (?:doesn't|does not|no longer|isn't|is not) (?:exists?"
    r"|available)(?: .*)?",
    r"(?:sorry|oops|uh[- ]oh)[,.! -]+.*(?:page|not found|can't find|doesn't exist).*",
    r"(?:diese |die )?(?:angeforderte |gesuchte )?seite (?:wurde |existiert "
    r"|ist )?(?:leider )?nicht"
    r" (?:gefunden|vorhanden|verfügbar|mehr verfügbar)|(?:diese "
    r"|die )?seite existiert nicht(?: mehr)?",
    r"(?:deze |de )?pagina (?:is |kon |bestaat )?(?:helaas )?niet (?:worden )?"
    r"(?:gevonden|beschikbaar|meer)|(?:deze )?pagina bestaat niet",
    r"(?:cette |la )?page (?:est )?(?:introuvable|non trouvée|inexistante)"
    r"|page n'existe (?:pas|plus)",
    r"(?:esta |la )?página no (?:encontrada|existe|disponible|se ha encontrado)",
    r"(?:questa |la )?pagina non (?:è stata )?(?:trovata|esiste|disponibile)",
    r"(?:esta |a )?página não (?:foi )?(?:encontrada|existe)",
    r"(?:nie znaleziono strony|strona nie została znaleziona|sidan (?:hittades|finns) inte)",
    r"(?:お探しの)?ページ(?:は|が)(?:見つかり|みつかり|存在し)ません(?:でした)?",
)

ERROR_TITLES = _any(
    r"(?:error|http|fehler|erreur|fout)?[ :#-]*(?:401|403|429|5\d\d)[ :.-]*(?:error)?",
    r"(?:error |http )?(?:401|403|429|5\d\d)[ :.-]+[a-z' -]{4,40}",
    r"access (?:to this (?:page|site|resource) (?:has been |is |was )?)?(?:is )?denied",
    r"request blocked|too many requests|bad (?:gateway|request)",
    r"(?:the |this )?(?:service|site|website|server) (?:is )?(?:temporarily "
    r"|currently )?unavailable",
    r"(?:internal )?server error(?: in .*)?|gateway time-?out|application error|runtime error",
    r"(?:error establishing a )?database (?:connection )?error"
    r"|error establishing a database connection",
    r"(?:site |we are |we're |currently |down |website )*(?:is )?(?:down )?(?:under|for"
    r"|undergoing) "
    r"(?:scheduled )?(?:maintenance|construction)|maintenance mode",
    r"we(?:'ll| will) be (?:right )?back(?: soon| shortly)?",
    r"(?:oops[,.! -]+)?(?:something went wrong|an (?:unexpected )?error (?:has )?occurred)",
    r"iis windows(?: server)?|index of /.*",
    r"account suspended|(?:this )?domain (?:name )?(?:is |may be )?(?:for sale|parked|expired)",
    r"zugriff (?:verweigert|nicht erlaubt)|zugang verweigert|(?:dienst|seite|website) (?:ist )?"
    r"(?:zurzeit |derzeit |vorübergehend )?nicht (?:erreichbar|verfügbar)"
    r"|interner serverfehler|(?:es ist )?ein fehler (?:ist )?aufgetreten",
    r"(?:de )?toegang (?:is )?geweigerd|(?:site |website )?in onderhoud|onderhoudsmodus"
    r"|er is (?:een fout opgetreden|iets (?:fout|mis)gegaan)|interne serverfout",
    r"accès (?:refusé|interdit)|(?:service|site) (?:temporairement )?indisponible"
    r"|(?:site )?en (?:cours de )?maintenance|erreur interne du serveur"
    r"|une erreur (?:est survenue|s'est produite)",
    r"acceso (?:denegado|prohibido)|servicio no disponible|(?:sitio )?en mantenimiento"
    r"|error interno del servidor|se ha producido un error|ha ocurrido un error",
    r"accesso negato|servizio non disponibile|in manutenzione|si è verificato un errore",
    r"acesso negado|serviço indisponível|em manutenção|ocorreu um erro",
    r"odmowa dostępu|åtkomst nekad|wystąpił błąd|ett fel uppstod",
    r"アクセス(?:が|は)?(?:拒否|禁止|できません).*"
    r"|(?:ただいま)?メンテナンス中(?:です)?|(?:内部)?サーバー?エラー|エラー(?:が発生しました)?",
)

DEFAULT_TITLES = _any(
    r"welcome to (?:nginx|openresty|caddy|tengine)|it works|(?:apache2? )?(?:\w+ )?default page.*",
    r"(?:apache|centos|fedora|red hat|http server|nginx)\b.* test page.*|test page for the .*",
)
"""Of servers that nobody has set up yet; they explain that at some length."""

CHALLENGE_TITLES = _any(
    r"just a moment|one moment,? please|attention required!?|please wait|pardon our interruption",
    r"(?:human |bot )verification|(?:security|browser) (?:check|verification|checkpoint)"
    r"|robot (?:check|or human\??)|are you (?:a )?(?:robot|human)\??|access verification",
    r"(?:nur )?einen moment(?:,? bitte)?|sicherheits(?:über)?prüfung|bitte warten",
    r"(?:een )?ogenblik geduld|even geduld|beveiligingscontrole|un instant|veuillez patienter",
    r"vérification de sécurité|un momento(?:, por favor)?|comprobación de seguridad",
    r"しばらくお待ちください|セキュリティ(?:チェック|確認)|認証中",
)

POLICY_TITLES = _any(
    r"polic(?:y|ies)|notice|statement|terms|richtlinie|erklärung|hinweise|verklaring|beleid",
    r"politique|déclaration|charte|política|aviso|informativa|polityka|integritetspolicy",
    r"ポリシー|規約|方針",
)
"""Texts about data that somebody may well ask about; only mentioned in a title."""

# Sentences to the visitor. None of them is found in a text that is about the subject.

NOT_FOUND = _any(
    r"\b(?:page|article|content|document|url|address|link|story) (?:that )?you(?:'re|'ve)?(?: are"
    r"| were| have)?(?: just)? (?:look|ask|request|tr(?:y|ied)|want|seek|follow|click)",
    r"\b(?:this|the|that|requested) page (?:could not|couldn't|can't|cannot|can not|was not|wasn't"
    r"|is not|isn't|does not|doesn't|no longer|has been (?:re)?moved|has been deleted|has moved)",
    r"(?:angeforderte|gesuchte|gewünschte|aufgerufene)n? (?:seite|inhalt|artikel|adresse|url)",
    r"\bseite,? (?:die sie|die du|konnte|wurde|existiert|ist) (?:leider )?(?:nicht|suchen|suchst"
    r"|aufrufen|gesucht)",
    r"\bpagina (?:die|waar) (?:u|je|jij) (?:zoekt|zocht|probeert|wilt|naar|hebt)"
    r"|\bpagina (?:bestaat|kon|kan|is|werd) (?:helaas )?niet",
    r"\bpage (?:que vous|demandée|recherchée|n'existe|est introuvable|n'est plus|a été (?:d|s))",
    r"\bpágina (?:que (?:busca|estás?|solicit|intent)|solicitada|no (?:existe|se (?:ha|pudo)))",
    r"\bpagina (?:che (?:stai|hai|cerchi)|richiesta|non (?:esiste|è))",
    r"\bpágina (?:que (?:você|procura)|solicitada|não (?:existe|foi))",
    r"\bsidan du (?:sök|letar)|strona,? której szukasz",
    r"(?:お探し|ご指定|アクセスしようと)[^。]{0,12}ページ",
    r"ページ(?:は|が)[^。]{0,24}(?:見つかりません|存在しません|削除され|移動し)",
)

ERRORS = _any(
    r"you (?:do not|don't) have (?:permission|access|authori[sz]ation) to (?:access|view)",
    r"\bserver (?:encountered|is temporarily|was unable|could not|is unable)",
    r"temporarily unable to service your request|establishing a database connection",
    r"unavailable for (?:scheduled maintenance|legal reasons)"
    r"|not available in your (?:country|region)",
    r"this account has been suspended|web server (?:is )?(?:successfully installed|running)",
    r"sie (?:haben|besitzen) keine (?:berechtigung|zugriffsrechte)|u heeft geen (?:toegang"
    r"|rechten)",
    r"vous n'(?:avez pas|êtes pas) (?:la permission|accès|autorisé|le droit)",
    r"no (?:tiene|tienes) (?:permiso|acceso|autorización)",
    r"アクセス(?:する)?権限がありません|アクセスが集中して",
)

CHALLENGES = _any(
    r"checking (?:if the site connection|your browser)|javascript and cookies to continue",
    r"(?:verif|confirm|check|ensure|make sure|prove)[a-z]* (?:that )?you(?:'re| are) (?:a |not a "
    r"|really )*(?:human|robot|bot|real)|you are (?:a )?human by completing",
    r"(?:are you|you(?:'re| are)) (?:a |not a )(?:human|robot|bot)\b|i(?:'m| am) not a robot",
    r"unusual (?:traffic|activity) from|complete (?:the|this) (?:security check|captcha|challenge)",
    r"press (?:&|&amp;|and) hold|(?:using|from) automat(?:ed|ion) (?:tools?|software|queries)",
    r"something about your browser made us think|disable any ad ?blocker|you have been blocked",
    r"(?:security service|ddos protection) (?:to protect|by)|(?:incident|ray) id\b",
    r"(?:dass|ob) (?:sie|du) (?:ein mensch|kein (?:ro)?bot)|kein roboter"
    r"|ungewöhnliche[nr]? (?:daten"
    r"verkehr|aktivität)|ihr(?:en)? browser (?:wird )?(?:überprüf|geprüf)",
    r"(?:dat|of) (?:u|je) (?:een mens|geen (?:ro)?bot)|geen robot|ongewo(?:on"
    r"|ne) (?:verkeer|activ)",
    r"que vous (?:êtes|n'êtes) (?:bien )?(?:un (?:être )?humain|pas un robot)|pas un robot"
    r"|trafic inhabituel",
    r"que (?:usted )?(?:no )?(?:es|eres) (?:un )?(?:ser )?(?:humano|robot)|no soy un robot"
    r"|tráfico inusual",
    r"che (?:sei|non sei) un (?:essere )?(?:umano|robot)|non sono un robot|não sou um robô",
    r"(?:人間|ロボット)(?:である|ではない|でない|ではありません)|通常と異なるトラフィック"
    r"|ブラウザを確認",
)

LOGINS = _any(
    r"\b(?:log|sign) ?in (?:or (?:register|sign up|subscribe) )?to (?:continue|view|read"
    r"|access|see)",
    r"please (?:log|sign) ?in|you (?:must|need to|have to) (?:be logged|log|sign) ?in",
    r"\b(?:subscribe|register|sign up|create (?:a free |an )?account) to (?:continue|keep"
    r"|read|unlock)",
    r"(?:only|exclusively|reserved) (?:available )?(?:for|to) (?:our )?(?:paying )?(?:subscribers"
    r"|members|registered)|for (?:subscribers|members) only|subscriber[- ]only (?:content|article)",
    r"(?:bitte )?(?:melden sie sich|melde dich|loggen sie sich)[^.]{0,30}\b(?:an|ein)\b"
    r"|anmelden,? um (?:weiter|den|diese)",
    r"nur für (?:abonnenten|mitglieder|registrierte)|abonnieren sie,? um"
    r"|mit einem abo (?:weiter)?lesen"
    r"|jetzt (?:abonnieren|registrieren) und weiterlesen",
    r"(?:log in|meld je aan|inloggen|meld u aan) om (?:verder|door|dit)"
    r"|(?:alleen|exclusief) (?:voor|toegankelijk voor) (?:abonnees|leden)"
    r"|(?:word abonnee|abonneer(?: je)?)[^.]{0,20} om (?:verder|door)",
    r"connectez-vous pour|réservée?s?(?: exclusivement)? (?:à nos |aux )abonnés"
    r"|abonnez-vous pour (?:lire|continuer)",
    r"inici(?:a|e) sesión para|(?:exclusivo|solo|sólo|contenido) para suscriptores"
    r"|suscríbete para (?:seguir|leer|continuar)",
    r"accedi per (?:continuare|leggere)|riservato agli abbonati|exclusivo para assinantes",
    r"ログインして(?:ください|続き|閲覧)|ログインが必要|会員限定|(?:続き|全文)を読むには"
    r"|残り\s*[\d,]+\s*文字",
)

OF_COMMENTS = re.compile(
    r"comment|repl(?:y|ies)\b|\brate\b|\bvote\b|review|kommentar|kommentier|reageer|reactie|comentar"
    r"|コメント"
)
"""Sentences about logins that are for those who want to say something themselves."""

SCRIPTING = re.compile(
    r"java ?script[^.。]{0,50}(?:enabl|disabl|requir|turn|activ|aktiv|benötig|erforderlich|schakel"
    r"|nécess|désactiv|habilit|abilit|ativ|włącz|有効|無効|必要)"
    r"|(?:enabl|requir|turn|without|need|activ|aktiv|benötig|schakel|nécess|habilit|abilit|ativ"
    r"|włącz|有効)[^.。]{0,40}java ?script"
)

# The parts of a consent wall: what it is about, who speaks, and the button.

CONSENT = _any(
    r"\bcookies?\b|consent|privac|tracking|personal data|personali[sz]ed (?:ads|content)",
    r"\bpartner|\bvendors?\b|einwillig|zustimm|akzeptier|privatsphäre|datenschutz",
    r"toestemming|accepte|gegevens|voorkeuren|témoins|confidentialité|données|publicit",
    r"consentimiento|privacidad|aceptar|rechazar|datos|publicidad|consenso|dati personali|zgod",
    r"クッキー|cookie|同意|プライバシー|個人情報|広告",
)
SPEAKERS = _any(
    r"\b(?:we|our|us|you|your|wir|unser\w*|sie|ihre?n?|du|dein\w*|wij|we|onze?|uw?|je|jouw)\b",
    r"\b(?:nous|nos|notre|vous|votre|vos|nosotros|nuestr\w+|usted|su|tus?|noi|nostri|nós|nossos)\b",
    r"当社|当サイト|弊社|私たち|お客様|あなた",
)
ACCEPTS = re.compile(
    r"(?:yes,? )?(?:i )?(?:accept|agree|allow|consent|got it|ok(?:ay)?\b"
    r"|alle[ns]? akzeptier|akzeptier"
    r"|(?:allem )?zustimm|einverstanden|accepte|alles? accepte|akkoord|toestaan|j'accept"
    r"|tout accept"
    r"|aceptar|acepto|accett|aceit|zgadzam|akceptuj|godkänn|acceptera|同意|すべて許可|許可)"
)
