//! A program that reports its progress as programs written in Zig do, for Zig 0.17.1.
//!
//!     zig_progress STEPS PAUSE        does STEPS steps of three parts each, with PAUSE milliseconds for each part
//!     zig_progress run PROGRAM …      starts a program below a node of its own, and exits as that does
//!     zig_progress times COUNT PAUSE NODES
//!         sets the count of its tree to the time COUNT times, in microseconds of the monotonic clock and modulo 2^32, with
//!         PAUSE milliseconds before each; then changes nothing for two seconds; NODES nodes never change
//!
//! If ZIG_PROGRESS names a descriptor, the tree is written to it; otherwise it is drawn to a terminal, if there is one.
//! Without one, the program does the same work and shows nothing. Build it with
//!
//!     python3 -m ziglang build-exe -O ReleaseSafe -femit-bin=zig_progress zig_progress.zig

const std = @import("std");

const parts = 3;

pub fn main(init: std.process.Init) !void {
    const words = try init.minimal.args.toSlice(init.arena.allocator());
    if (words.len >= 3 and std.mem.eql(u8, words[1], "run")) return runProgram(init, words[2..]);
    if (words.len == 5 and std.mem.eql(u8, words[1], "times")) return setTimes(init, words[2..]);
    if (words.len != 3) return usage();
    const steps = std.fmt.parseInt(u32, words[1], 10) catch return usage();
    const pause = std.fmt.parseInt(u32, words[2], 10) catch return usage();
    try doSteps(init.io, steps, pause);
}

fn usage() noreturn {
    std.debug.print("usage: zig_progress STEPS PAUSE | zig_progress run PROGRAM ... | zig_progress times COUNT PAUSE NODES\n", .{});
    std.process.exit(64);
}

/// Does the steps one after the other, while a second node counts what has no known total.
fn doSteps(io: std.Io, steps: u32, pause: u32) !void {
    const root = std.Progress.start(io, .{ .root_name = "peer", .estimated_total_items = steps });
    defer root.end();
    const found = root.start("found", 0);
    defer found.end();
    for (0..steps) |number| {
        const step = root.startFmt(parts, "step {d}", .{number + 1});
        // This counts the step in the root.
        defer step.end();
        for (0..parts) |_| {
            try io.sleep(.fromMilliseconds(pause), .awake);
            step.completeOne();
            found.completeOne();
        }
    }
}

/// Starts a program whose tree takes the place of a node.
fn runProgram(init: std.process.Init, argv: []const [:0]const u8) !void {
    const root = std.Progress.start(init.io, .{ .root_name = "runner", .estimated_total_items = 1 });
    defer root.end();
    const node = root.start("program", 0);
    defer node.end();
    var words = try init.arena.allocator().alloc([]const u8, argv.len);
    for (argv, 0..) |word, index| words[index] = word;
    var child = try std.process.spawn(init.io, .{ .argv = words, .progress_node = node });
    switch (try child.wait(init.io)) {
        .exited => |code| if (code != 0) std.process.exit(code),
        else => std.process.exit(70),
    }
}

/// Changes a number, which is the time.
fn setTimes(init: std.process.Init, words: []const [:0]const u8) !void {
    const io = init.io;
    const count = std.fmt.parseInt(u32, words[0], 10) catch return usage();
    const pause = std.fmt.parseInt(u32, words[1], 10) catch return usage();
    const nodes = std.fmt.parseInt(u32, words[2], 10) catch return usage();
    const root = std.Progress.start(io, .{ .root_name = "work" });
    defer root.end();
    for (0..nodes) |number| _ = root.startFmt(10, "node {d}", .{number + 1});
    for (0..count) |_| {
        try io.sleep(.fromMilliseconds(pause), .awake);
        var time: std.os.linux.timespec = undefined;
        _ = std.os.linux.clock_gettime(.MONOTONIC, &time);
        const microseconds = time.sec * 1_000_000 + @divTrunc(time.nsec, 1_000);
        root.setCompletedItems(@intCast(microseconds & 0xFFFF_FFFF));
    }
    try io.sleep(.fromMilliseconds(2_000), .awake);
}
