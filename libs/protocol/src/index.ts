export { escapeLineSeparators } from './json-text/line-separators.js';
export { scanBody, type BodyScan, type Span } from './json-text/scan-body.js';
export { scanObject, type ObjectScan } from './json-text/scan-object.js';
