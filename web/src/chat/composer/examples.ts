interface Example {
  label: string;
  text: string;
}

const toClaude: readonly Example[] = [
  { label: 'Explain this project', text: 'Explain what the project in this folder does.' },
  { label: 'Find a bug', text: 'Look for a bug in this folder, and tell me how to fix it.' },
  { label: 'Write a README', text: 'Write a README.md for the project in this folder.' },
  { label: 'Summarise a file', text: 'Summarise the attached file in five sentences.' },
];

const toRehearsal: readonly Example[] = [
  { label: 'Say hello', text: 'Hello!' },
  {
    label: 'Write a file, after your approval',
    text: '[[tool=write {"file_path":"hello.txt","content":"Hello from Turnpike"}]]',
  },
  { label: 'List the files', text: '[[tool=glob {"pattern":"*"}]]' },
  { label: 'Stream 200 words', text: 'Say something long. [[tokens=200 gap=20]]' },
];

/** Messages to begin with, for the model that answers. Pure. */
export function examplesFor(provider: string): readonly Example[] {
  return provider === 'rehearsal' ? toRehearsal : toClaude;
}
