import { ApiProperty } from '@nestjs/swagger';
import { todoStatuses, type Todo } from '../storage/shapes/stored-step.js';

export class TodoDto implements Todo {
  @ApiProperty({ type: String, example: 'tests' })
  id!: string;

  @ApiProperty({ type: String, example: 'Write the tests' })
  content!: string;

  @ApiProperty({ enum: todoStatuses })
  status!: Todo['status'];
}

export class TodoListDto {
  @ApiProperty({ type: [TodoDto], description: 'In the order the model gave them.' })
  todos!: TodoDto[];
}
