/** The import rules of ARCHITECTURE.md, checked by a machine. */
const only = (name, packages, owners, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: [...owners, '\\.test\\.ts$'] },
  to: { path: packages.map((p) => `node_modules/${p}(/|$)`) },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: ['\\.test\\.ts$'] },
      to: {},
    },
    {
      name: 'no-barrels-or-drawers',
      comment:
        'No index.ts, no folder called utils, helpers, common or shared: import the file, name the owner.',
      severity: 'error',
      from: {},
      to: { path: ['^src/.*index\\.ts$', '^src/.*/(utils|helpers|common|shared)/'] },
    },
    {
      name: 'platform-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(?!platform/)' },
    },
    {
      name: 'errors-are-a-leaf',
      comment: 'Every folder may name an error code, so the table of them depends on none.',
      severity: 'error',
      from: { path: '^src/errors/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(?!errors/|platform/)' },
    },
    {
      name: 'vocabulary-is-a-leaf',
      severity: 'error',
      from: { path: '^src/events/(turn-event|fold-turn)\\.ts$' },
      to: {
        path: '^src/(?!platform/|errors/error-table|events/turn-event\\.ts|storage/shapes/stored-step\\.ts)',
      },
    },
    {
      name: 'storage-is-the-ground',
      comment:
        'What is stored is described where it is stored; domains import it, never the other way.',
      severity: 'error',
      from: { path: '^src/storage/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(?!storage/|platform/|errors/error-table\\.ts)' },
    },
    {
      name: 'stored-shapes-are-data',
      severity: 'error',
      from: { path: '^src/storage/shapes/' },
      to: {
        path: '^(src/(?!storage/shapes/|platform/|errors/error-table\\.ts)|node_modules/)',
      },
    },
    {
      name: 'dialects-know-events-only',
      severity: 'error',
      from: { path: '^src/wires/(framing|[^/]+/dialect)/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/(?!platform/|errors/error-table|events/|storage/shapes/stored-step|wires/(framing|[^/]+/dialect)/)',
      },
    },
    {
      name: 'turn-is-the-only-conductor',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(turn/|wires/|ops/|client/(server-types|parse-disposition\\.test)|server/|backend/)',
      },
      to: { path: '^src/turn/' },
    },
    {
      name: 'client-stands-alone',
      comment:
        'The typed client runs in browsers: at run time it is itself and a parser; of the server it has types.',
      severity: 'error',
      from: { path: '^src/client/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(src/(?!client/)|node_modules/(?!eventsource-parser/)|node:)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client-has-types-from-one-file',
      severity: 'error',
      from: { path: '^src/client/', pathNot: ['server-types\\.ts$', '\\.test\\.ts$'] },
      to: { path: '^src/(?!client/)' },
    },
    {
      name: 'governance-rules-are-pure',
      comment:
        'A rule imports types only; I/O lives in files that say so (*.module.ts, *-store.ts).',
      severity: 'error',
      from: {
        path: '^src/governance/',
        pathNot: ['\\.(module|controller)\\.ts$', '-store\\.ts$', '\\.test\\.ts$'],
      },
      to: {
        path: '^(src/(?!governance/|platform/|errors/|events/turn-event|storage/shapes/)|node_modules/)',
      },
    },
    {
      name: 'pure-parts-know-no-nest',
      comment:
        'Decisions, rules, dialects, folds and the model offline are plain TypeScript: Nest is where dependencies are injected.',
      severity: 'error',
      from: {
        path: [
          '^src/(agents|cli|client|config|console|events|extend|extensions|governance|platform|provider|rehearsal)/',
          '^src/tools/(builtin|calls|mcp|sandbox)/',
          '^src/turn/(loop|state)/',
          '^src/wires/(framing|[^/]+/dialect)/',
        ],
        pathNot: ['\\.module\\.ts$', '\\.test\\.ts$'],
      },
      to: { path: 'node_modules/(@nestjs|rxjs)/' },
    },
    only(
      'model-sdk-has-one-home',
      ['@anthropic-ai/sdk'],
      ['^src/provider/anthropic/', '^src/tools/'],
      "Model calls go through provider/anthropic; tools may use the SDK's tool helpers.",
    ),
    only(
      'pglite-has-one-home',
      ['@electric-sql/pglite'],
      ['^src/storage/'],
      'Only storage opens a database.',
    ),
    only('pg-has-one-home', ['pg'], ['^src/storage/'], 'Only storage opens a database.'),
    only(
      'ioredis-has-its-adapters',
      ['ioredis'],
      [
        '^src/backend/',
        '^src/storage/redis-',
        '^src/access/[^/]+/redis-',
        '^src/events/redis-',
        '^src/turn/queue/(redis|bull)-',
      ],
      'Redis is reached through the adapters of the ports.',
    ),
    only(
      'bullmq-has-its-adapter',
      ['bullmq', '@nestjs/bullmq'],
      ['^src/turn/queue/(bull-|turn\\.processor)'],
      'The queue is reached through its port.',
    ),
    only(
      'mcp-has-one-home',
      ['@modelcontextprotocol'],
      ['^src/tools/mcp/'],
      'MCP servers are tools: the rest of the server does not know the protocol.',
    ),
    only(
      'undici-has-one-home',
      ['undici'],
      ['^src/platform/net/'],
      'Requests that leave the machine go through publicFetch.',
    ),
    {
      name: 'the-page-is-a-client',
      comment:
        'The console runs in browsers: of the server it has types, its client, and files that are pure data or sums.',
      severity: 'error',
      from: { path: '^web/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(client/|governance/(decision-tree/agent-config|limits/cost)\\.ts|platform/(compact|json)\\.ts)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-server-has-no-page',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^web/|node_modules/(react|react-dom|radix-ui|vite)(/|$)' },
    },
    {
      name: 'tests-stay-out-of-the-build',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: ['\\.test\\.ts$', '^test/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
