/**
 * Whether a form field asks for a secret, judged by what it shows: secrets must not pass through a client, so a
 * form must not ask for them (client/elicitation, security). Catches honest mistakes of tool authors, not a worker
 * that hides what it asks. Whole words count, so that `spin` or `tokens_used` stay harmless.
 */

/** Secrets wherever they stand, unless a harmless word follows. */
const SECRETS = [
  'pass ?(?:word|wd|phrase|code)s?',
  'pwd|credentials?|jwt|mnemonic (?:phrase|words?|seed)',
  '(?:api|access|private|secret|encryption|decryption|signing|master|ssh|pgp|gpg|recovery) ?keys?',
  '(?:api|access|auth|authentication|bearer|refresh|session|security|login|bot|oauth) tokens?',
  '(?:client|api|app|shared|webhook|consumer|oauth) secrets?',
  '(?:session|auth|login) cookies?',
  '(?:otp|totp|hotp|2fa|mfa)(?: codes?| tokens?| pins?)?',
  '(?:one time|single use|verification|authentication|authenticator|auth|security|sms|login|two factor|backup|recovery|sign in) (?:codes?|pins?)',
  '(?:seed|recovery|secret) (?:phrase|words?)',
  '(?:pin|personal identification) (?:codes?|numbers?)',
  '(?:card|sim|bank|atm|security|account|login|current|new|old|your|digit|enter|confirm) pin',
  'cvv2?|cvc2?|card (?:verification|security)(?: value| code)?',
  // The languages that forms are most often written in.
  'passwort|kennwort|mot de passe|contraseña|contrasena|senha|wachtwoord|hasło|пароль',
];

/** Harmless as their last digits, by which people tell one from another. */
const NUMBERS = [
  '(?:(?:credit|debit|payment|bank) ?)?card ?(?:numbers?|no|num)',
  '(?:cc|pan) (?:numbers?|no|num)',
  'ccn',
  'ssn|social security (?:numbers?|no)',
];

/** What follows makes these something about a secret: a policy, a reference, a count. */
const HARMLESS_NEXT =
  'policy|length|expiry|expires|expiration|age|hint|manager|count|limit|budget|usage|used|type|kind|names?|ids?|uri|url|' +
  'date|rotation|rules?|days|ref|reference|path|location|store|vault|status|reset|required|protected|strength|provider|' +
  'format|owner|label|version|algorithm|fingerprint|email';

/** Words of many meanings: secrets at the end of a name or before a word that says so. */
const AMBIGUOUS = [
  'secrets?',
  '(?<!(?:page|next|previous|continuation|sync|cursor|stop|start|end|max|min|per|design|csrf|cancel|cancellation) )token',
  '(?:credit|debit|payment) card',
  '(?<=^)pin',
];
const VALUE_NEXT = 'values?|strings?|text|keys?|codes?|numbers?|details|here';

const anyOf = (phrases: readonly string[], next: string) => new RegExp(`(?<=^| )(?:${phrases.join('|')})\\d*${next}`);
const SECRET = anyOf(SECRETS, `(?= |$)(?! (?:${HARMLESS_NEXT})(?: |$))`);
const NUMBER = anyOf(NUMBERS, '(?= |$)');
const AMBIGUOUS_SECRET = anyOf(AMBIGUOUS, `(?=$| (?:${VALUE_NEXT})(?: |$))`);
const LAST_DIGITS = /(?:^| )last (?:\w+ )?(?:digits|[2-6]|two|three|four|five|six)(?: |$)/;
/** Scripts that put no spaces between words. */
const UNSPACED = /密码|密碼|口令|パスワード|暗証番号|비밀번호/;

/** What makes a clause of a description one that tells what to type, and what makes it one that tells what not to. */
const TELLS_TO_TYPE = /(?:^| )(?:enter|type|paste|provide|supply|insert|input|copy|give|send|put|fill|your)(?: |$)/;
const TELLS_NOT_TO = /(?:^| )(?:not|never|no|nor|without|cannot|don t|instead of|rather than)(?: |$)/;
/** So few words are no sentence but a label. */
const LABEL_WORDS_MAX = 4;

/** @param labels the field's name and title; others than strings are skipped. */
export function asksForSecret(...labels: readonly unknown[]): boolean {
  return labels.some((label) => typeof label === 'string' && namesSecret(label));
}

/**
 * Whether a description tells to type a secret. It is prose, which may well speak of secrets: only a clause that reads
 * as a label or tells what to type counts, and none that warns.
 */
export function describesSecret(description: unknown): boolean {
  if (typeof description !== 'string') return false;
  return description.split(/[.;:!?\n]/).some((clause) => {
    const words = wordsOf(clause);
    const isInstruction = TELLS_TO_TYPE.test(words) || words.split(' ').length <= LABEL_WORDS_MAX;
    return isInstruction && !TELLS_NOT_TO.test(words) && namesSecret(clause);
  });
}

function namesSecret(label: string): boolean {
  if (UNSPACED.test(label)) return true;
  const words = wordsOf(label);
  if (SECRET.test(words) || AMBIGUOUS_SECRET.test(words)) return true;
  return NUMBER.test(words) && !LAST_DIGITS.test(words);
}

/** `APIKey`, `api_key` and `Api-Key?` all become `api key`. */
function wordsOf(label: string): string {
  return label
    .normalize('NFKC')
    .replace(/(\p{Ll}\d*)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
