// Lets the conformance suite start on Node 20: node --import ./old-node.mjs <the suite>
// Its bundle imports globSync from fs, which Node has since 22. Only commands that we do not use call it.
import { register } from 'node:module';

register('./old-node-loader.mjs', import.meta.url);
