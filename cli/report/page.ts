import { LANGUAGES, message, type Language } from '@springtide/wire/messages';
import manifest from '../package.json' with { type: 'json' };
import { html, trusted, type Html } from './html.ts';
import { STYLE } from './style.ts';

export interface Page {
  /** Shown first; the reader can switch to the other one. */
  readonly language: Language;
  readonly title: (language: Language) => string;
  readonly body: (language: Language) => Html;
}

const NAMES: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };

/**
 * A whole report as one file: style sheet and drawings inside, no script, both languages with a switch that is
 * style sheet only. Nothing in it tells when or where it was made, so the same input gives the same bytes.
 */
export function page({ language, title, body }: Page): string {
  const inputs = LANGUAGES.map(
    (each) =>
      html`<input class="switch" type="radio" name="language" id="language-${each}" ${each === language ? html`checked` : ''}>`,
  );
  const labels = LANGUAGES.map((each) => html`<label for="language-${each}" lang="${each}">${NAMES[each]}</label>`);
  const bodies = LANGUAGES.map(
    (each) =>
      html`<main class="language-body language-${each}" lang="${each === 'zh' ? 'zh-CN' : 'en'}"><h1>${title(each)}</h1>
${body(each)}
<p class="foot">${message(each, 'report.made', { version: manifest.version })}</p></main>
`,
  );
  return html`<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title(language)}</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
${inputs}<div class="top"><span class="brand">Springtide</span><span class="switches">${labels}</span></div>
${bodies}</body>
</html>
`.html;
}
