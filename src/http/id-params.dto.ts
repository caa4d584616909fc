import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

/** An id in a path. Text that is no id is the id of nothing: its route answers that there is none. */
function PathId(description: string, example: string) {
  return applyDecorators(ApiProperty({ type: String, description, example }), IsString());
}

export class SessionIdDto {
  @PathId('Id of the session.', 'sess_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11') id!: string;
}

export class TurnIdDto {
  @PathId('Id of the turn.', 'turn_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11') id!: string;
}

export class ApprovalIdDto {
  @PathId('Id of the approval.', 'appr_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11') id!: string;
}

export class McpLoginIdDto {
  @PathId('Id of the log-in.', 'mcpl_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11') id!: string;
}

export class WebhookIdDto {
  @PathId('Id of the webhook.', 'hook_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11') id!: string;
}

export class DeliveryIdDto extends WebhookIdDto {
  @PathId(
    'Id of the delivery: the `webhook-id` that its requests have.',
    'evt_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11_1_14',
  )
  deliveryId!: string;
}
