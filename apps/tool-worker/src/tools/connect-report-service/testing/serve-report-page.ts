/**
 * Serves the page as a process of its own, beside the workers whose directory it shares. Usage, from the root of the
 * workspace: node --import ./tools/ts-hook.mjs <this file> <directory> <port>
 */
import { ReportPage } from './report-page.js';

const [directory = '', port = ''] = process.argv.slice(2);
const page = await ReportPage.start(directory, { port: Number(port) });
process.once('SIGTERM', () => void page.stop().then(() => process.exit(0)));
