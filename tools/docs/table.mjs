// A table in Markdown, its cells safe against the characters that would end them.

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells) => `| ${cells.map(cell).join(' | ')} |\n`;

export function toTable(head, rows) {
  return row(head) + row(head.map(() => '---')) + rows.map(row).join('');
}

/** Inline code; nothing for an absent value. */
export function code(text) {
  return text === undefined || text === '' ? '' : `\`${text}\``;
}
