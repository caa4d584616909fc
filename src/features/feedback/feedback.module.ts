import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { FeedbackController } from './feedback.controller.js';
import { FeedbackService } from './feedback-service.js';

/** Feedback of people on turns. */
@Module({
  imports: [AccessModule],
  controllers: [FeedbackController],
  providers: [FeedbackService],
})
export class FeedbackModule {}
