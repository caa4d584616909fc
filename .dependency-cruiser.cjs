/** The import rules of ARCHITECTURE.md, checked by a machine. */
const only = (name, packages, owners, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: [...owners, '\\.test\\.ts$'] },
  to: { path: packages.map((p) => `node_modules/${p}(/|$)`) },
});

/**
 * The folders of `src` from the ground up. A file imports from its own folder and from those before it in
 * the list, types included; its tests may import anything.
 */
const layers = [
  // Foundations without a domain, and parts that stand alone.
  'platform',
  'errors',
  // Storage, configuration, events, and their form in HTTP.
  'storage',
  'config',
  'events',
  'telemetry',
  'wires/framing',
  'http',
  // The domains that a turn is made of.
  'governance',
  'provider',
  'access',
  'memory',
  'tools',
  'agents',
  // What a project has for Claude Code, in our terms.
  'project-files',
  'options',
  // Calls of tools without a turn, for operators.
  'trials',
  'attachments',
  'session',
  // The conductor, and the wires that publish its turns.
  'turn',
  // What registers its part of a turn, and can be left out.
  'features',
  'wires',
  // The assembly of a process, and its clients.
  'operations',
  'app',
  'client',
  // What programs for another agent SDK import; it is a client of the server.
  'agent-sdk',
  'embed',
  'cli',
];

/** @param {string} layer The files of a layer. */
const filesOf = (layer) => (layer === 'wires' ? '^src/wires/(?!framing/)' : `^src/${layer}/`);

const layering = [
  {
    name: 'every-folder-has-a-layer',
    severity: 'error',
    from: { path: '^src/[^/]+/', pathNot: layers.map(filesOf) },
    to: {},
  },
  ...layers.slice(0, -1).map((layer, index) => ({
    name: `${layer}-is-below-${layers[index + 1]}`,
    comment: 'A folder imports from those before it in `layers`.',
    severity: 'error',
    from: { path: filesOf(layer), pathNot: '\\.test\\.ts$' },
    to: { path: [...layers.slice(index + 1).map(filesOf), '^src/[^/]+$'] },
  })),
];

/**
 * The rooms of `src/turn` from the ground up: a room imports from those before it. Those with a life of their own are
 * Nest modules, which `turn.module.ts` composes.
 */
const rooms = [
  // What every room stands on: rows, attempts, leases, errors.
  '^src/turn/state/',
  '^src/turn/queue/',
  '^src/turn/budgets/',
  '^src/turn/approvals/',
  '^src/turn/prompt/',
  '^src/turn/branches/',
  '^src/turn/loop/',
  '^src/turn/attempt/',
  '^src/turn/lifecycle/',
  '^src/turn/submit/',
  '^src/turn/subagents/',
  '^src/turn/worker/',
  // The service of turns for clients, and its shapes.
  '^src/turn/turn-[^/]+\\.ts$',
  '^src/turn/history/',
  '^src/turn/overview/',
];

const roomsOfTurn = [
  {
    name: 'every-room-of-turn-has-a-place',
    severity: 'error',
    from: { path: '^src/turn/', pathNot: [...rooms, '^src/turn/(face|turn\\.module)\\.ts$'] },
    to: {},
  },
  ...rooms.slice(0, -1).map((room, index) => ({
    name: `${room.match(/turn.([a-z]+)/)[1]}-knows-rooms-below-alone`,
    comment: 'A room of `src/turn` imports from those before it in `rooms`.',
    severity: 'error',
    from: { path: room, pathNot: '\\.test\\.ts$' },
    to: { path: [...rooms.slice(index + 1), '^src/turn/(face|turn\\.module)\\.ts$'] },
  })),
];

/** Folders with a face: one file, `face.ts`, that names what wires and features use of them. */
const faced =
  'access|agents|attachments|events|http|options|platform|provider|session|tools|turn|wires/framing';

/**
 * Files in rooms that other folders enter beside faces, by folder: the files at a folder's top level are open to the
 * folders above it.
 */
const doors = [
  // Data, and parts without a domain: each file is for everybody. So are rules, and what applies them.
  '^src/(http|platform|storage/(folder|redis|shapes))/',
  '^src/governance/(budgets|decision-tree|limits|notices|permissions|rates)/',
  // The stores of keys and secrets, and what is known of people.
  '^src/access/(keys|people|secrets)/',
  // The commands of the memory tool, which tools parse and run.
  '^src/memory/commands/memory-command\\.ts$',
  // Tools that a turn treats by name.
  '^src/tools/builtin/(bash|find-tools|memory|task|todo-write)\\.ts$',
  // How a turn judges its calls by their paths, and runs them; objects that turns end with; extensions and tools of hosts.
  '^src/tools/(calls|define|extensions|output)/',
  // The MCP servers of a process; definitions, which agents and sessions have too; the log-ins of people at them.
  '^src/tools/mcp/(definitions|mcp|mcp-file|prompts|tool-names|oauth/(mcp-logins|mcp-redirects))\\.ts$',
  // The harness's dialect, whose frames AG-UI sends too.
  '^src/wires/harness/dialect/harness(-result)?\\.ts$',
];

/** @param {{ name: string, comment: string, from: object, others?: readonly string[] }} face */
const privateRooms = ({ name, comment, from, others = [] }) => ({
  name,
  comment,
  severity: 'error',
  from,
  to: {
    path: ['^src/(?!wires/|features/)[^/]+/[^/]+/', '^src/(?:wires|features)/[^/]+/[^/]+/'],
    pathNot: ['^src/$1/', ...doors, ...others],
  },
});

const faces = [
  {
    name: 'wires-and-features-enter-by-faces',
    comment: "What a wire or a feature uses of a folder stands in that folder's face.ts.",
    severity: 'error',
    from: { path: '^src/(wires/(?!framing/)|features/)', pathNot: '\\.test\\.ts$' },
    to: { path: `^src/(${faced})/`, pathNot: '/face\\.ts$' },
  },
  {
    name: 'faces-are-for-others',
    severity: 'error',
    from: { path: '^src/([^/]+)/', pathNot: ['^src/(wires|features)/', '\\.test\\.ts$'] },
    to: { path: '^src/$1/face\\.ts$' },
  },
  privateRooms({
    name: 'rooms-are-private',
    comment:
      "A folder is entered by its face, the files at its top level, or one of `doors`. The client has the types of answers, the API's document what all shapes say.",
    from: {
      path: '^src/((?:(?:wires|features)/)?[^/]+)/',
      pathNot: [
        '^src/app/backend/',
        '^src/client/server-types\\.ts$',
        '^src/app/api-shapes\\.ts$',
        '\\.test\\.ts$',
      ],
    },
  }),
  privateRooms({
    name: 'the-back-end-chooses-adapters',
    comment: 'A back end enters rooms for the adapters of ports, which are named by what they use.',
    from: { path: '^src/(app)/backend/', pathNot: '\\.test\\.ts$' },
    others: [
      '/(bull|disk|memory|postgres|redis|s3)-[^/]+\\.ts$',
      '^src/turn/queue/(signal-bus|turn-claims|turn-queue)\\.ts$',
    ],
  }),
];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...layering,
    ...roomsOfTurn,
    ...faces,
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(src|rehearsal)/', pathNot: ['\\.test\\.ts$'] },
      to: {},
    },
    {
      name: 'no-barrels-or-drawers',
      comment:
        'No index.ts, no folder called utils, helpers, common or shared: import the file, name the owner.',
      severity: 'error',
      from: {},
      to: {
        path: [
          '^(src|rehearsal)/.*index\\.ts$',
          '^src/.*/(utils|helpers|common|shared)/',
          '^rehearsal/(utils|helpers|common|shared)/',
        ],
      },
    },
    {
      name: 'vocabulary-is-a-leaf',
      severity: 'error',
      from: { path: '^src/events/turn-event\\.ts$' },
      to: {
        path: '^src/(?!platform/|errors/error-table|events/turn-event\\.ts|storage/shapes/stored-step\\.ts)',
      },
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
        path: '^src/(?!platform/|errors/|events/|storage/shapes/stored-step|wires/(framing|[^/]+/dialect)/)',
      },
    },
    {
      name: 'turn-is-the-only-conductor',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(turn/|features/|wires/|operations/|client/(server-types|turn/parse-turn-disposition\\.test)|app/)',
      },
      to: { path: '^src/turn/' },
    },
    {
      name: 'client-stands-alone',
      comment:
        'The typed client runs in browsers: at run time it is itself and a parser; of the server it has types. Its hook has React.',
      severity: 'error',
      from: { path: '^src/client/', pathNot: ['\\.test\\.ts$', '^src/client/react/'] },
      to: {
        path: '^(src/(?!client/)|node_modules/(?!eventsource-parser/)|node:)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      // At run time it is the client, and files that are pure: rules of permissions, and parts without a domain.
      name: 'agent-sdk-is-a-client',
      severity: 'error',
      from: { path: '^src/agent-sdk/', pathNot: ['\\.test\\.ts$'] },
      to: {
        path: '^(src/(?!agent-sdk/|client/turnpike-client\\.ts|platform/|governance/permissions/|agents/claude-tools\\.ts|project-files/(convert-(path|rule)|model-names)\\.ts)|node_modules/)',
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
        'A rule imports types and shapes only; what is used, and how often, is held by budgets/ and rates/.',
      severity: 'error',
      from: {
        path: '^src/governance/',
        pathNot: ['\\.module\\.ts$', '^src/governance/(budgets|rates)/', '\\.test\\.ts$'],
      },
      to: {
        path: '^(src/(?!governance/|platform/|errors/|events/turn-event|storage/shapes/)|node_modules/(?!zod/))',
      },
    },
    {
      name: 'pure-parts-know-no-nest',
      comment:
        'Decisions, rules, dialects, folds and the model offline are plain TypeScript: Nest is where dependencies are injected.',
      severity: 'error',
      from: {
        path: [
          '^src/(agents|cli|client|config|events|governance|platform|project-files|provider)/',
          '^rehearsal/',
          '^src/app/console/',
          '^src/tools/',
          '^src/turn/(loop|state)/',
          '^src/wires/(framing|[^/]+/dialect)/',
        ],
        pathNot: [
          '\\.module\\.ts$',
          '^src/governance/budgets/usage-service\\.ts$',
          '^src/tools/output/schema-checks\\.ts$',
          '^src/tools/[^/]*(controller|dto)\\.ts$',
          // Where the services are injected that the plain functions of an attempt are given.
          '^src/turn/state/attempt-services\\.ts$',
          '\\.test\\.ts$',
        ],
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
        '^src/app/backend/',
        '^src/storage/redis/redis-',
        '^src/governance/rates/redis-',
        '^src/events/redis-',
        '^src/turn/queue/bull-',
      ],
      'Redis is reached through the adapters of the ports.',
    ),
    only(
      'bullmq-has-its-adapter',
      ['bullmq', '@nestjs/bullmq'],
      ['^src/turn/queue/bull-'],
      'The queue is reached through its port.',
    ),
    only(
      'opentelemetry-has-one-home',
      ['@opentelemetry'],
      ['^src/telemetry/'],
      'Spans are started and ended through Tracing, which names them.',
    ),
    only(
      'mcp-has-one-home',
      ['@modelcontextprotocol'],
      ['^src/tools/mcp/', '^src/wires/mcp/'],
      'MCP servers are tools, and agents are one: the rest of the server does not know the protocol.',
    ),
    only(
      'openid-client-has-two-homes',
      ['openid-client'],
      ['^src/access/logins/provider-client\\.ts$', '^src/cli/login/device-log-in\\.ts$'],
      'Identity providers are asked by the console, which checks their addresses, and by the command line.',
    ),
    only(
      'zod-checks-files',
      ['zod'],
      [
        '^src/access/logins/begun-login\\.ts$',
        '^src/access/pages/page-token\\.ts$',
        '^src/access/tokens/auth-file\\.ts$',
        '^src/(agents|config|storage|features/portability|cli)/',
        '^src/platform/parsing/',
        '^src/tools/extensions/',
        '^src/governance/permissions/',
        '^src/provider/models/',
        '^src/tools/mcp/(definitions|mcp-file)\\.ts$',
        // Rows whose text was sealed.
        '^src/tools/mcp/oauth/(login-secret|oauth-flows)\\.ts$',
        // Metadata of notices, which an import may have made.
        '^src/(turn/prompt/announcements|features/(mcp/mcp-part|skills/skills-part))\\.ts$',
        '^src/wires/',
      ],
      'Files and the environment have shapes, bodies of our own wires classes. Wires use the schemas of their protocols.',
    ),
    only(
      'undici-has-one-home',
      ['undici'],
      ['^src/platform/net/'],
      'Requests that leave the machine go through publicFetch.',
    ),
    {
      // The console runs in browsers: of the server it has types, its client, and files that are pure data or sums.
      name: 'the-page-is-a-client',
      severity: 'error',
      from: { path: '^web/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(client/|events/turn-event\\.ts|governance/(decision-tree/agent-config|limits/cost)\\.ts|platform/(compact|json|parsing/form)\\.ts|storage/shapes/stored-(step|turn)\\.ts)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-server-has-no-page',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/react/' },
      to: { path: '^web/|node_modules/(react|react-dom|@radix-ui|vite)(/|$)' },
    },
    {
      // The offline model is a program of its own: a fault of the server must not be a fault of what it is tested against.
      name: 'the-rehearsal-stands-alone',
      severity: 'error',
      from: { path: '^rehearsal/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(src/|web/|test/|node_modules/(?!zod/|@anthropic-ai/(tokenizer|sdk)/|@types/node/))',
      },
    },
    {
      name: 'the-rehearsal-has-types-of-the-sdk-alone',
      comment: 'What it sends has the types of the API. Nothing of the client runs in it.',
      severity: 'error',
      from: { path: '^rehearsal/', pathNot: '\\.test\\.ts$' },
      to: { path: '^node_modules/@anthropic-ai/sdk/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-server-only-starts-the-rehearsal',
      severity: 'error',
      from: { path: '^(src|web)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^rehearsal/(?!start-rehearsal\\.ts)' },
    },
    {
      name: 'tests-stay-out-of-the-build',
      severity: 'error',
      from: { path: '^(src|rehearsal)/', pathNot: '\\.test\\.ts$' },
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
