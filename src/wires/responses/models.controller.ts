import { Controller, Get, Param, Injectable } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, HarmlessForPages, type Principal, Unowned } from '../../access/face.js';
import { ApiErrors, ErrorsAs } from '../../http/face.js';
import { DEFAULT_PERSONA, PersonaLibrary } from '../../agents/face.js';
import { isTypedError, type TypedError } from '../../errors/typed-error.js';
import { ModelCatalogue } from '../../provider/face.js';
import type { TurnRow } from '../../turn/face.js';
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
   * @param may the agents that the caller may use; undefined: all. A turn of another one is refused later.
   * @throws TypedError PERSONA_NOT_FOUND 404 with the names that there are for the caller.
   */
  async choose(
    wanted: string | undefined,
    before: Pick<TurnRow, 'request'> | undefined,
    may: MayUse,
  ): Promise<ChosenModel> {
    const name = wanted ?? before?.request.responses?.model ?? DEFAULT_PERSONA;
    try {
      const agent = await this.personas.load(name);
      return { agent: agent.name, model: undefined, name };
    } catch (error) {
      if (!isTypedError(error, 'PERSONA_NOT_FOUND')) throw error;
    }
    if (this.models.find(name) !== undefined) return { agent: undefined, model: name, name };
    throw await this.notFound(name, may);
  }

  async notFound(name: string, may: MayUse): Promise<TypedError> {
    const known = await this.list(may);
    return modelNotFound(
      name,
      known.map((one) => one.name),
    );
  }

  /** The names that `choose` takes for a caller: agents before models. */
  async list(may: MayUse): Promise<{ name: string; isAgent: boolean }[]> {
    const agents = await this.personas.agents();
    const shown = agents.filter(({ name }) => may?.includes(name) !== false);
    return [
      ...shown.map(({ name }) => ({ name, isAgent: true })),
      ...this.models.list().map(({ id }) => ({ name: id, isAgent: false })),
    ];
  }
}

/** The agents that a caller may use; undefined: all. */
type MayUse = readonly string[] | undefined;

const everybodys = 'agents and models are the server’s';

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
  async listResponseModels(@Caller() { agents }: Principal): Promise<ResponseModelListDto> {
    return { object: 'list', data: (await this.models.list(agents)).map(viewModel) };
  }

  /** An agent or a model by its name */
  @Get('models/:id')
  @HarmlessForPages('models are everybody’s')
  @Unowned(everybodys)
  @ApiErrors('PERSONA_NOT_FOUND')
  async getResponseModel(
    @Param() { id }: ResponseIdDto,
    @Caller() { agents }: Principal,
  ): Promise<ResponseModelDto> {
    const { name, agent } = await this.models.choose(id, undefined, agents);
    if (agent !== undefined && agents?.includes(agent) === false) {
      throw await this.models.notFound(id, agents);
    }
    return viewModel({ name, isAgent: agent !== undefined });
  }
}

function viewModel({ name, isAgent }: { name: string; isAgent: boolean }): ResponseModelDto {
  return { id: name, object: 'model', created: 0, owned_by: isAgent ? 'agent' : 'model' };
}
