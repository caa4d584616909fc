import { Controller, Get, Param, Injectable } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HarmlessForPages, Unowned } from '../../access/owned.decorator.js';
import { ApiErrors, ErrorsAs } from '../../http/errors/error-shape.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { isTypedError } from '../../errors/typed-error.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { DEFAULT_PERSONA } from '../../agents/persona-name.js';
import type { TurnRow } from '../../turn/state/turn-row.js';
import { ResponseIdDto, ResponseModelDto, ResponseModelListDto } from './responses.dto.js';
import { responsesShape, modelNotFound } from './responses-errors.js';

/** Who answers: an agent, or a model with the conversation's persona. */
export interface ChosenModel {
  agent: string | undefined;
  model: string | undefined;
  /** The name under which the client has it. */
  name: string;
}

/** The meaning of `model`: an agent's name goes before a model's. */
@Injectable()
export class ModelChooser {
  constructor(
    private readonly personas: PersonaLibrary,
    private readonly models: ModelCatalogue,
  ) {}

  /**
   * @param before the turn of the previous response, which goes on with the same where none is named.
   * @throws TypedError PERSONA_NOT_FOUND 404 with the names that there are.
   */
  async choose(
    wanted: string | undefined,
    before: Pick<TurnRow, 'request'> | undefined,
  ): Promise<ChosenModel> {
    const name = wanted ?? before?.request.responses?.model ?? DEFAULT_PERSONA;
    try {
      const agent = await this.personas.load(name);
      return { agent: agent.name, model: undefined, name };
    } catch (error) {
      if (!isTypedError(error, 'PERSONA_NOT_FOUND')) throw error;
    }
    if (this.models.find(name) !== undefined) return { agent: undefined, model: name, name };
    const known = await this.list();
    throw modelNotFound(
      name,
      known.map((one) => one.name),
    );
  }

  /** The names that `choose` takes: agents before models. */
  async list(): Promise<{ name: string; isAgent: boolean }[]> {
    const agents = await this.personas.agents();
    return [
      ...agents.map(({ name }) => ({ name, isAgent: true })),
      ...this.models.list().map(({ id }) => ({ name: id, isAgent: false })),
    ];
  }
}

const everybodys = 'agents and models are those of every caller';

/** What `model` of a response may be. Its prefix gives paths that clients try the errors of this wire. */
@ApiTags('responses')
@ErrorsAs(responsesShape)
@Controller('v1')
export class ModelsController {
  constructor(private readonly models: ModelChooser) {}

  /** The agents and models that answer */
  @Get('models')
  @HarmlessForPages('models are everybody’s')
  @Unowned(everybodys)
  async listResponseModels(): Promise<ResponseModelListDto> {
    return { object: 'list', data: (await this.models.list()).map(viewModel) };
  }

  /** An agent or a model by its name */
  @Get('models/:id')
  @HarmlessForPages('models are everybody’s')
  @Unowned(everybodys)
  @ApiErrors('PERSONA_NOT_FOUND')
  async getResponseModel(@Param() { id }: ResponseIdDto): Promise<ResponseModelDto> {
    const { name, agent } = await this.models.choose(id, undefined);
    return viewModel({ name, isAgent: agent !== undefined });
  }
}

function viewModel({ name, isAgent }: { name: string; isAgent: boolean }): ResponseModelDto {
  return { id: name, object: 'model', created: 0, owned_by: isAgent ? 'agent' : 'model' };
}
