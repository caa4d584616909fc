import { Module } from '@nestjs/common';
import { DecisionTrees } from './decision-tree/decision-trees.js';

/** Provides the decision trees. The rules of this folder are plain functions. */
@Module({ providers: [DecisionTrees], exports: [DecisionTrees] })
export class GovernanceModule {}
