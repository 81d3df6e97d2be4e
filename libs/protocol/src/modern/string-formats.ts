/** The four string formats a form field may name (client/elicitation), each checked in linear time. */
import { URI_CHARS_MAX } from '../limits.js';

export const STRING_FORMATS = ['email', 'uri', 'date', 'date-time'] as const;
export type StringFormat = (typeof STRING_FORMATS)[number];

/** RFC 5321 section 4.5.3.1: a path of 256 octets with its brackets. */
const EMAIL_CHARS_MAX = 254;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
/** RFC 3986: a scheme, then only characters that a URI may hold, percent signs only in escapes. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
/** RFC 3339 section 5.6. */
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;

const CHECKS: Readonly<Record<StringFormat, (text: string) => boolean>> = {
  email: isEmail,
  uri: isAbsoluteUri,
  date: isDate,
  'date-time': isDateTime,
};

export function isStringFormat(format: unknown): format is StringFormat {
  return (STRING_FORMATS as readonly unknown[]).includes(format);
}

export function matchesFormat(text: string, format: StringFormat): boolean {
  return CHECKS[format](text);
}

/** An absolute URI of RFC 3986, of any scheme. */
export function isAbsoluteUri(text: string): boolean {
  return text.length <= URI_CHARS_MAX && URI.test(text);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (text.length > EMAIL_CHARS_MAX || at < 1 || at > 64) return false;
  const labels = text.slice(at + 1).split('.');
  return LOCAL_PART.test(text.slice(0, at)) && labels.every((label) => DOMAIN_LABEL.test(label));
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function isDateTime(text: string): boolean {
  if (!isDate(text.slice(0, 10)) || !/^[Tt]$/.test(text.charAt(10))) return false;
  const [, hour, minute, second, offsetHour, offsetMinute] = TIME.exec(text.slice(11)) ?? [];
  if (hour === undefined || minute === undefined || second === undefined) return false;
  // A second of 60 is a leap second; whether there was one is not for a form to know.
  return (
    isBelow(hour, 24) &&
    isBelow(minute, 60) &&
    isBelow(second, 61) &&
    isBelow(offsetHour ?? '0', 24) &&
    isBelow(offsetMinute ?? '0', 60)
  );
}

function isBelow(digits: string, limit: number): boolean {
  return Number(digits) < limit;
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
