/** A tour of the Responses API with the package openai: see README.md beside this file. */
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.TURNPIKE_URL ?? 'http://127.0.0.1:4400'}/v1`,
  // A server without keys takes any.
  apiKey: process.env.TURNPIKE_API_KEY ?? 'none',
});
const model = 'WORKING_ITEMS';

/** A tool that runs here, beside the agent's own. */
const tools = [
  {
    type: 'function',
    name: 'pick_colour',
    description: 'Lets the user pick a colour',
    parameters: { type: 'object', properties: { of: { type: 'string' } } },
  },
];

const first = await talk();
await goOn(first);
await runOwnTool();
await approve();
await comeBack();

async function talk() {
  console.log('== A message');
  const response = await client.responses.create({ model, input: 'Count. [[tokens=5]]' });
  console.log(response.output_text);
  return response.id;
}

async function goOn(previous_response_id) {
  console.log('== The conversation, as a stream');
  const stream = client.responses.stream({
    model,
    input: 'And? [[tokens=3]]',
    previous_response_id,
  });
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
  }
  const { status, usage } = await stream.finalResponse();
  console.log(`\n${status}, ${usage.output_tokens} tokens`);
}

/** The response ends where the agent calls a tool of ours; the next one goes on with the output. */
async function runOwnTool() {
  console.log('== A tool of ours');
  const input = '[[tool=pick_colour {"of":"car"}]] [[tokens=2]]';
  const asked = await client.responses.create({ model, input, tools });
  const call = asked.output.find(({ type }) => type === 'function_call');
  console.log(call.name, call.arguments);
  const output = { type: 'function_call_output', call_id: call.call_id, output: 'blue' };
  const previous_response_id = asked.id;
  const done = await client.responses.create({
    model,
    input: [output],
    tools,
    previous_response_id,
  });
  console.log(done.output_text);
}

async function approve() {
  console.log('== An approval');
  const input = '[[tool=write {"file_path":"notes.txt","content":"Hi"}]] [[tokens=2]]';
  const asked = await client.responses.create({ model, input });
  const { id, name, arguments: given } = asked.output.at(-1);
  console.log(`${name} needs an approval: ${given}`);
  const answer = { type: 'mcp_approval_response', approval_request_id: id, approve: true };
  const previous_response_id = asked.id;
  const done = await client.responses.create({ model, input: [answer], previous_response_id });
  console.log(done.output.map(({ type }) => type).join(', '));
}

/** A response in the background goes on without us; its stream goes on after any event. */
async function comeBack() {
  console.log('== A broken connection');
  const asked = { model, input: '[[tokens=9 gap=50]]', background: true, stream: true };
  let id = '';
  let last = 0;
  const text = [];
  for await (const event of await client.responses.create(asked)) {
    if (event.type === 'response.created') id = event.response.id;
    if (event.type === 'response.output_text.delta') text.push(event.delta);
    last = event.sequence_number;
    if (text.length === 3) break;
  }
  const rest = { stream: true, starting_after: last };
  for await (const event of await client.responses.retrieve(id, rest)) {
    if (event.type === 'response.output_text.delta') text.push(event.delta);
  }
  console.log(text.join(''));
}
