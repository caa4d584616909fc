/** Types of the API's document, and the typed client's for the same things. */
export const clientTypes: Readonly<Record<string, string>> = {
  "Answer<'listTurns'>": "Returned<client.TurnpikeClient['sessions']['turns']>",
  "Answer<'listToolCalls'>": "Returned<client.TurnpikeClient['turns']['calls']>",
  "Answer<'readLog'>": "Returned<client.TurnpikeClient['turns']['log']>",
  "Answer<'uploadFiles'>['attachments']": 'client.UploadedFile[]',
  "Answer<'listAgents'>": '{ agents: client.AgentSummary[] }',
  "Answer<'getQueue'>": 'client.QueueView',
  "Answer<'getAgentConfig'>": 'client.AgentConfigSettings',
  "Body<'changeAgentConfig'>": 'Partial<client.AgentConfigSettings>',
  "schemas['TurnEvent']": 'client.TurnEvent',
};
