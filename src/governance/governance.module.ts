import { Module } from '@nestjs/common';
import { UsageService } from './budgets/usage-service.js';
import { DecisionTrees } from './decision-tree/decision-trees.js';

/** Provides the decision trees and the usage of days. The rules of this folder are plain functions. */
@Module({
  providers: [DecisionTrees, UsageService],
  exports: [DecisionTrees, UsageService],
})
export class GovernanceModule {}
