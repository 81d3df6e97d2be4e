import { describe, expect, it } from '@jest/globals';
import { asksForSecret } from './secret-fields.js';

describe('asksForSecret', () => {
  it.each([
    'password', 'Password', 'passwd', 'pwd', 'new_password', 'passwordAgain', 'password2', 'PASSWORD', 'Your password (at least 8 characters)',
    'pass word', 'passphrase', 'Passcode', 'secret', 'client_secret', 'clientSecret', 'Client secret from the console', 'secrets', 'secret_value', 'token',
    'api_token', 'GITHUB_TOKEN', 'Access token, see settings', 'bearer-token', 'refreshToken', 'jwt', 'api_key', 'apikey', 'apiKey', 'APIKey', 'API key',
    'X-API-Key', 'Your API key here', 'access key', 'secret_access_key', 'private_key', 'privatekey', 'Private key (PEM)', 'ssh key', 'encryption_key',
    'otp', 'OTP', 'otp_code', 'totp', '2FA code', 'mfa_code', 'one-time password', 'One-time code', 'one time pin', 'verification_code', 'Verification code',
    'two-factor code', 'sms code', 'backup codes', 'recovery_code', 'seed phrase', 'recovery phrase', 'mnemonic phrase', 'credentials', 'pin', 'PIN',
    'PIN code', 'pin_code', 'pin number', 'card pin', 'Your PIN', 'Enter PIN', '4-digit PIN', 'cvv', 'CVV2', 'cvc', 'Card CVC', 'security code',
    'card number', 'cardNumber', 'card_no', 'credit_card_number', 'creditcardnumber', 'Credit card', 'debit_card', 'cc_number', 'session cookie',
    'Passwort', 'mot de passe', 'Contraseña', 'пароль', '密码', '新しいパスワード', 'ｐａｓｓｗｏｒｄ',
  ])('sees one in %j', (label) => {
    expect(asksForSecret(label)).toBe(true);
    expect(asksForSecret('field', label)).toBe(true);
  });

  it.each([
    'last four digits', 'Last 4 digits of the card number', 'last_four_card_number', 'tokens_used', 'max_tokens', 'token_count', 'token_limit', 'token type',
    'pinned', 'pin_to_top', 'pin_color', 'spin', 'shipping', 'opinion', 'card or wallet', 'card', 'card_type', 'business card', 'credit card type',
    'wallet', 'password_policy', 'password length', 'Password expiry', 'password_reset_email', 'passwordless_login', 'secret_name', 'secret recipe', 'Secret Santa',
    'secretary', 'api_key_id', 'api_key_name', 'key', 'keyboard', 'primary key', 'public key', 'sort_key', 'keyword', 'monkey', 'page_token', 'next_page_token',
    'sync_token', 'stop token', 'design token', 'tokenizer', 'code', 'postal_code', 'country code', 'discount code', 'pass', 'boarding pass', 'passenger',
    'compass', 'passport country', 'bypass', 'authentication method', 'author', 'credential_type', 'account number', 'order number', 'phone', 'email', 'amount',
    'note_id', 'confirm', 'reason', 'hotpot', 'mnemonic', 'tan', 'company', 'pan', 'span', 'cvs', '',
  ])('sees none in %j', (label) => {
    expect(asksForSecret(label)).toBe(false);
  });

  it.each([[undefined], [null], [5], [{}]])('skips a label that is %p', (label) => {
    expect(asksForSecret(label, label)).toBe(false);
  });
});
