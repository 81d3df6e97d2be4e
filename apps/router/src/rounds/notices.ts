/**
 * Progress and log items of a worker as notifications on the call's own stream, and only as far as this request asked
 * for them (G-01, A-42). What a worker sends beyond that is dropped, not trusted. A line that may be closed is closed.
 */
import { LOG_LEVELS, type CallNotice } from '@roundhouse/contracts';
import type { Exchange } from '../intake/exchange.js';

export function noticeRelay(exchange: Exchange): (notice: CallNotice) => void {
  const { progressToken, logLevel } = exchange.envelope;
  const lowestLevel = logLevel === undefined ? Infinity : LOG_LEVELS.indexOf(logLevel);
  let lastProgress = -Infinity;
  return (notice) => {
    if (!exchange.reply.canStream) return;
    if (notice.kind === 'close_stream') exchange.reply.closeLine(notice.retryMs);
    else if (notice.kind === 'progress') {
      if (progressToken === undefined || !(notice.progress > lastProgress)) return;
      lastProgress = notice.progress;
      const { progress, total, message } = notice;
      send(exchange, 'notifications/progress', { progressToken, progress, total, message });
    } else if (LOG_LEVELS.indexOf(notice.level) >= lowestLevel) {
      const { level, logger, data } = notice;
      send(exchange, 'notifications/message', { level, logger, data });
    }
  };
}

function send(exchange: Exchange, method: string, params: object): void {
  exchange.reply.notify(JSON.stringify({ jsonrpc: '2.0', method, params }));
}
