import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { KeysNeedScope, Unowned } from '../access/owned.decorator.js';
import { QueueService } from './queue-service.js';
import { QueueDto } from './queue.dto.js';

@ApiTags('admin')
@Controller('api/admin/queue')
@KeysNeedScope('admin')
export class QueueController {
  constructor(private readonly queue: QueueService) {}

  /** Turns that have not ended, and the workers’ slots */
  @Get()
  @Unowned(
    'the queue is the server’s; of each turn it shows who sent it, where, and the beginning of the message',
  )
  getQueue(): Promise<QueueDto> {
    return this.queue.look();
  }
}
