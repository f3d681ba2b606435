/** Text that is HTML already. Anything else is escaped when it is put into a page. */
export interface Html {
  readonly html: string;
}

export type Content = Html | string | number | readonly Content[];

/** A tagged template: what is put in is escaped unless it is Html. Lists are joined. */
export function html(texts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { html: texts.reduce((out, text, i) => out + render(contents[i - 1] as Content) + text) };
}

/** Takes a text as HTML. Only for texts that are our own, such as the style sheet. */
export function trusted(text: string): Html {
  return { html: text };
}

function render(content: Content): string {
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escapeText(content);
  return isHtml(content) ? content.html : content.map(render).join('');
}

function isHtml(content: Html | readonly Content[]): content is Html {
  return !Array.isArray(content);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
