"""One sentence in several languages, written by hand."""

SENTENCES = {
    "en": "The battery lasts two days.",
    "de": "Der Akku hält zwei Tage, und das Gerät ist sehr leise.",
    "fr": "La batterie tient deux jours et l'appareil est très silencieux.",
    "es": "La batería dura dos días y el aparato es muy silencioso.",
    "zh": "电池可以用两天，而且非常安静。",
    "ar": "تدوم البطارية يومين والجهاز هادئ جدا.",
    "hi": "बैटरी दो दिन चलती है और उपकरण बहुत शांत है।",
}
