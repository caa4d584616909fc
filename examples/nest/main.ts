import 'reflect-metadata';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Inject,
  Injectable,
  Module,
  Scope,
  UseGuards,
} from '@nestjs/common';
import { NestFactory, REQUEST } from '@nestjs/core';
import {
  type ToolCall,
  Turnpike,
  type TurnpikeCallContext,
  TurnpikeModule,
  TurnpikeTool,
} from 'turnpike/nest';
import * as z from 'zod';

@Injectable()
class Warehouse {
  whereIs(id: string): string {
    return `Order ${id} left the warehouse at nine.`;
  }
}

/** Whoever a call is for: a provider of the scope of a request, of which each call has its own. */
@Injectable({ scope: Scope.REQUEST })
class Customer {
  constructor(@Inject(REQUEST) private readonly call: TurnpikeCallContext) {}

  get name(): string {
    return this.call.principal;
  }
}

@Injectable()
class OnlyStaff implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [, call] = context.getArgs<[unknown, ToolCall]>();
    if (call.principal === 'host:staff') return true;
    throw new ForbiddenException('Only staff may cancel orders.');
  }
}

@Injectable()
class OrderTools {
  constructor(@Inject(Warehouse) private readonly warehouse: Warehouse) {}

  @TurnpikeTool({
    description: 'Looks up where an order is.',
    input: z.object({ id: z.string() }),
    effect: 'read',
    retry: 'safe',
  })
  order_status({ id }: { id: string }): string {
    return this.warehouse.whereIs(id);
  }

  @UseGuards(OnlyStaff)
  @TurnpikeTool({
    description: 'Cancels an order.',
    input: z.object({ id: z.string() }),
    effect: 'read',
  })
  cancel_order({ id }: { id: string }): { cancelled: string } {
    return { cancelled: id };
  }
}

@Injectable()
class CustomerTools {
  constructor(@Inject(Customer) private readonly customer: Customer) {}

  @TurnpikeTool({ description: 'Says who asks.', input: z.object({}), effect: 'read' })
  who_am_i(): string {
    return this.customer.name;
  }
}

@Controller()
class ShopController {
  constructor(@Inject(Turnpike) private readonly turnpike: Turnpike) {}

  /** A turn of the application's own, without HTTP. */
  @Get('ask')
  async ask(): Promise<string> {
    const client = this.turnpike.client('ada');
    const { sessionId } = await client.sessions.create();
    const turn = await client.turn({ sessionId, message: 'Hello' });
    return (await turn.result()).text;
  }
}

@Module({
  imports: [
    TurnpikeModule.forRoot({
      dataDir: process.env['DATA_DIR'] ?? '.turnpike-embedded',
      basePath: '/agents',
      authenticate: ({ headers }) => {
        const user = headers['x-user'];
        return user === undefined ? undefined : { principal: user };
      },
    }),
  ],
  controllers: [ShopController],
  providers: [Warehouse, Customer, OnlyStaff, OrderTools, CustomerTools],
})
class ShopModule {}

const app = await NestFactory.create(ShopModule, {
  logger: ['warn', 'error'],
  forceCloseConnections: true,
});
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
console.log(await app.getUrl());
