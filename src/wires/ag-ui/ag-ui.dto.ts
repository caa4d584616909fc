import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject, jsonObjects } from '../../http/fields/json-schemas.js';

/** The DTO is for the documentation: `parseRunInput` checks the body. */
export class RunAgentInputDto {
  @ApiProperty({
    type: String,
    maxLength: 256,
    description: 'The conversation, as the client names it. It begins with its first run.',
  })
  threadId!: string;

  @ApiProperty({
    type: String,
    maxLength: 200,
    description: 'A run that is sent again with its id joins the first one.',
  })
  runId!: string;

  @ApiProperty({
    ...jsonObjects,
    description:
      'The conversation. The user’s messages after the assistant’s last one are the new message; tools’ messages there are the output of tools of the client. Messages of `system` and `developer` are what the application says, as `context` is. What came before is read where the server does not have the thread.',
  })
  messages!: object[];

  @ApiPropertyOptional({ ...jsonObjects, description: 'Tools that the client runs.' })
  tools?: object[];

  @ApiPropertyOptional({
    ...jsonObjects,
    description:
      '`{description, value}`: what the application says to the model beside the user, for this run’s turn alone.',
  })
  context?: object[];

  @ApiPropertyOptional({ ...jsonObject, description: 'Given back with `turnpike` in it.' })
  state?: object;

  @ApiPropertyOptional({
    ...jsonObjects,
    description:
      '`{interruptId, status, payload?}`; the payload of an approval: `{approved, reason?, editedArgs?}`.',
  })
  resume?: object[];

  @ApiPropertyOptional({
    ...jsonObject,
    description: '`turnpike: {opts?, projectRoot?}`: options of the turn; folder of a new thread.',
  })
  forwardedProps?: object;
}
