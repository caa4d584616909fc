import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Unowned } from '../../access/owned.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ErrorsAs } from '../../http/errors/error-shape.decorator.js';
import { ModelChooser } from './model-chooser.js';
import { ResponseIdDto } from './response-query.dto.js';
import { responsesShape } from './responses-error-shape.js';

class ResponseModelDto {
  @ApiProperty({ type: String, description: 'What `model` of a request may be.' })
  id!: string;

  @ApiProperty({ enum: ['model'] })
  object!: 'model';

  @ApiProperty({ type: 'integer', description: 'Without meaning here: 0.' })
  created!: number;

  @ApiProperty({ enum: ['agent', 'model'], description: 'Whether it is an agent or a model.' })
  owned_by!: 'agent' | 'model';
}

class ResponseModelListDto {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty({ type: [ResponseModelDto] })
  data!: ResponseModelDto[];
}

const everybodys = 'agents and models are those of every caller';

/** What `model` of a response may be. Its prefix gives paths that clients try the errors of this wire. */
@ApiTags('responses')
@ErrorsAs(responsesShape)
@Controller('v1')
export class ModelsController {
  constructor(private readonly models: ModelChooser) {}

  @Get('models')
  @Unowned(everybodys)
  @ApiOperation({ operationId: 'listResponseModels', summary: 'The agents and models that answer' })
  @ApiOkResponse({ type: ResponseModelListDto })
  async list(): Promise<ResponseModelListDto> {
    return { object: 'list', data: (await this.models.list()).map(viewModel) };
  }

  @Get('models/:id')
  @Unowned(everybodys)
  @ApiOperation({ operationId: 'getResponseModel', summary: 'An agent or a model by its name' })
  @ApiOkResponse({ type: ResponseModelDto })
  @ApiErrors('PERSONA_NOT_FOUND')
  async get(@Param() { id }: ResponseIdDto): Promise<ResponseModelDto> {
    const { name, agent } = await this.models.choose(id, undefined);
    return viewModel({ name, isAgent: agent !== undefined });
  }
}

function viewModel({ name, isAgent }: { name: string; isAgent: boolean }): ResponseModelDto {
  return { id: name, object: 'model', created: 0, owned_by: isAgent ? 'agent' : 'model' };
}
