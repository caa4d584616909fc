#!/usr/bin/env node
import { createProject, CreateError, runWith } from './create-project.mjs';

try {
  const { folder } = createProject(process.argv.slice(2));
  console.log(`The project is in ${folder}. Start it:

  cd ${folder}
  npm install
  ${runWith('npm run dev')}

Then open http://localhost:3000. AGENTS.md is for your coding agent.`);
} catch (error) {
  if (!(error instanceof CreateError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
