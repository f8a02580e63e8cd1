# Counts the matchings of a hexagon's bonds by size: julia by_size.jl, with libmatchcount_c where the loader finds it.
const library = "libmatchcount_c"

function checked(status)
    status == 0 || error(unsafe_string(@ccall library.matchcount_error()::Cstring))
end

function matchings_by_size(vertices, u, v)
    graph, options, answer = Ref(C_NULL), Ref(C_NULL), Ref(C_NULL)
    try
        checked(@ccall library.matchcount_graph_new("undirected"::Cstring, vertices::UInt32, vertices::UInt32,
            length(u)::Csize_t, u::Ptr{UInt32}, v::Ptr{UInt32}, C_NULL::Ptr{Float64}, graph::Ref{Ptr{Cvoid}})::Cint)
        checked(@ccall library.matchcount_options_new(options::Ref{Ptr{Cvoid}})::Cint)
        checked(@ccall library.matchcount_options_set(options[]::Ptr{Cvoid}, "matchings"::Cstring, "by-size"::Cstring)::Cint)
        checked(@ccall library.matchcount_count(graph[]::Ptr{Cvoid}, options[]::Ptr{Cvoid}, answer::Ref{Ptr{Cvoid}})::Cint)
        sizes = @ccall library.matchcount_num_values(answer[]::Ptr{Cvoid})::Csize_t
        value(i) = unsafe_string(@ccall library.matchcount_value(answer[]::Ptr{Cvoid}, i::Csize_t)::Cstring)
        return [parse(BigInt, value(i)) for i in 0:sizes-1]
    finally
        @ccall library.matchcount_answer_free(answer[]::Ptr{Cvoid})::Cvoid
        @ccall library.matchcount_options_free(options[]::Ptr{Cvoid})::Cvoid
        @ccall library.matchcount_graph_free(graph[]::Ptr{Cvoid})::Cvoid
    end
end

println(join(matchings_by_size(6, UInt32.(0:5), UInt32[1, 2, 3, 4, 5, 0]), " "))  # of 0, 1, 2 and 3 bonds
