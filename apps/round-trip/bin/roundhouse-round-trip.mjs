#!/usr/bin/env node
// What helm test runs in the image of the router; npm run build makes what it runs.
import '../dist/main.js';
