#!/usr/bin/env node
// The name under which npm and images install the tool; npm run build makes what it runs.
import '../dist/main.js';
