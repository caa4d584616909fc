// `node dist/main.js` is `turnpike serve`.
process.argv.splice(2, 0, 'serve');
await import('./cli.js');
