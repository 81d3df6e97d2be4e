/**
 * HTML that cannot be broken out of: a template whose values are escaped unless they were made by the same template.
 * Names of tools and groups come from workers and may be anything.
 */
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

export type Content = Html | string | number | undefined | false | readonly Content[];

/** Only `html` and `verbatim` make one, so whatever is one was escaped. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(strings: TemplateStringsArray, values: readonly Content[]): Html {
    return new Html(strings.reduce((text, part, at) => `${text}${toText(values[at - 1])}${part}`));
  }

  /** Text of our own that must stand as it is: the style and the script, whose hashes the page announces. */
  static verbatim(text: string): Html {
    return new Html(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** Values may stand in text and in quoted attributes, nowhere else. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return Html.of(strings, values);
}

function toText(value: Content): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value));
  return value.map(toText).join('');
}

function escape(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '').toWellFormed();
}
