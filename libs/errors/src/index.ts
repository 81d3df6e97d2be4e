export { ERROR_TABLE, type Blame, type ErrorCode, type ErrorRow, type LogLevel, type Retry } from './error-table.js';
export { REASONS, type Reason } from './reasons.js';
export { DETAIL_CHARS_MAX, RoundhouseError, type ErrorDetails, type Facts } from './roundhouse-error.js';
